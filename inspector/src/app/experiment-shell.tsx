import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useKeys } from '../parts/keys.ts'
import { copyAddress } from './copy-address.ts'
import { Crumb } from './crumb.tsx'
import { ViewFrame } from './view-frame.tsx'
import { experimentViews } from './views.ts'

/** An experiment: its name, the tabs of its views, and the view that is open. */
export function ExperimentShell() {
  const { experiment = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  useKeys(
    'Views',
    experimentViews.map(({ path, label }, at) => ({
      keys: String(at + 1),
      does: label,
      run: () =>
        void navigate({ to: '/e/$experiment/$view', params: { experiment, view: path }, search: true }),
    })),
  )
  useKeys('Experiment', [copyAddress])
  useEffect(() => {
    document.title = `${experiment} · Throughline`
  }, [experiment])
  return (
    <ViewFrame
      back="/e"
      crumb={<Crumb to="/e" list="Experiments" name={experiment} />}
      tabs={experimentViews.map(({ path, label }) => (
        <Link
          key={path}
          to="/e/$experiment/$view"
          params={{ experiment, view: path }}
          search={true}
          activeOptions={{ includeSearch: false }}
        >
          {label}
        </Link>
      ))}
    >
      <Outlet />
    </ViewFrame>
  )
}
