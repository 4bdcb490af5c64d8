import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import crumb from './crumb.module.css'
import { ViewFrame } from './view-frame.tsx'
import { experimentViews } from './views.ts'

/** An experiment: its name, the tabs of its views, and the view that is open. */
export function ExperimentShell() {
  const { experiment = '' } = useParams({ strict: false })
  useEffect(() => {
    document.title = `${experiment} · Throughline`
  }, [experiment])
  return (
    <ViewFrame
      back="/e"
      crumb={
        <>
          <Link to="/e" className={crumb.root}>
            Experiments
          </Link>
          <span className={crumb.slash}>/</span>
          <strong className={crumb.name} title={experiment}>
            {experiment}
          </strong>
        </>
      }
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
