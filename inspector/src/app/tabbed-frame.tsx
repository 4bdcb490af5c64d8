import { Link, type LinkOptions, useNavigate } from '@tanstack/react-router'
import { useKeys } from '../parts/keys.ts'
import { notify } from '../parts/notify.ts'
import { useTitle } from '../parts/use-title.ts'
import styles from './crumb.module.css'
import { ViewFrame } from './view-frame.tsx'

interface TabbedFrameProps {
  /** The list that this belongs to. */
  readonly list: { readonly to: '/' | '/e'; readonly label: string }
  /** What one of that list is called in the help, and the name of this one. */
  readonly kind: string
  readonly name: string
  readonly tabs: readonly { readonly label: string; readonly link: LinkOptions }[]
  /** Stands behind the name. */
  readonly crumb?: React.ReactNode
  readonly children: React.ReactNode
}

/** What has several views: `Conversations / Toad patrol`, the tabs of the views with their keys, and the view that is open. */
export function TabbedFrame({ list, kind, name, tabs, crumb, children }: TabbedFrameProps) {
  const navigate = useNavigate()
  useTitle(name)
  useKeys(
    'Views',
    tabs.map(({ label, link }, at) => ({ keys: `${at + 1}`, does: label, run: () => void navigate(link) })),
  )
  useKeys(kind, [
    {
      ...{ keys: 'y', does: 'copy the address of what you see' },
      run: () =>
        void navigator.clipboard.writeText(location.href).then(() => notify('The address is copied.')),
    },
  ])
  return (
    <ViewFrame
      back={list.to}
      crumb={
        <>
          <Link to={list.to} className={`rigid muted broad-only ${styles.root}`}>
            {list.label}
          </Link>
          <span className={`broad-only ${styles.slash}`}>/</span>
          <strong className={`clipped bold ${styles.name}`} title={name}>
            {name}
          </strong>
          {crumb}
        </>
      }
      tabs={
        tabs.length > 0 &&
        tabs.map(({ label, link }) => (
          <Link key={label} {...link} activeOptions={{ includeSearch: false }}>
            {label}
          </Link>
        ))
      }
    >
      {children}
    </ViewFrame>
  )
}
