import { Outlet, useParams } from '@tanstack/react-router'
import { places } from './places.ts'
import { TabbedFrame } from './tabbed-frame.tsx'
import { experimentViews } from './views.ts'

/** An experiment: its name, the tabs of its views, and the view that is open. */
export function ExperimentShell() {
  const { experiment = '' } = useParams({ strict: false })
  return (
    <TabbedFrame
      list={places[1]}
      kind="Experiment"
      name={experiment}
      tabs={experimentViews.map(({ path, label }) => ({
        label,
        link: { to: '/e/$experiment/$view', params: { experiment, view: path }, search: true },
      }))}
    >
      <Outlet />
    </TabbedFrame>
  )
}
