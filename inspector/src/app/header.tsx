import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ChevronLeft, Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { connection } from '../api/connection.ts'
import { serverQuery } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Tooltip } from '../parts/tooltip.tsx'
import styles from './header.module.css'
import { palette } from './palette-state.ts'
import { PlacesMenu } from './places-menu.tsx'

export interface HeaderProps {
  /** Where this is: `Conversations / Toad patrol`. */
  readonly crumb: React.ReactNode
  /** The list that this belongs to: narrow screens show the way back as an arrow. */
  readonly back?: '/' | '/e' | undefined
  readonly tabs?: React.ReactNode
}

/** The line over every view: where it is, the views beside it, whether the server is there, and the way to everything. */
export function Header({ crumb, back, tabs }: HeaderProps) {
  return (
    <header className={`flex gap-4 slim on-panel line-below ${styles.header}`}>
      <div className={`row gap-2 slim one-line ${styles.crumb}`}>
        {back && (
          <Link to={back} className={styles.back} aria-label="Back to the list">
            <ChevronLeft size={18} aria-hidden />
          </Link>
        )}
        {crumb}
      </div>
      {tabs && <Tabs>{tabs}</Tabs>}
      <div className={`row gap-2 rigid pushed ${styles.right}`}>
        <ServerMark />
        <Tooltip text="Find anything">
          <Button onClick={() => palette.set(true)} className={styles.find ?? ''}>
            <Search size={14} aria-hidden />
            <span className="hidden">Find anything</span>
            <span className="full-only">
              <KeyCap keys="Mod+k" />
            </span>
          </Button>
        </Tooltip>
        <PlacesMenu />
      </div>
    </header>
  )
}

/** The views beside this one. Narrow screens scroll them, and the one that is open is in sight. */
function Tabs({ children }: { readonly children: React.ReactNode }) {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is open at another address
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav ref={nav} className={`flex gap-2px ${styles.tabs}`}>
      {children}
    </nav>
  )
}

/** Which model server answers, and whether this server is heard. */
function ServerMark() {
  const { data } = useQuery(serverQuery)
  const { state } = connection.use()
  const upstream = data?.upstream.kind
  const text = state === 'away' ? 'away' : (upstream ?? 'joining')
  const about =
    state === 'away'
      ? 'The server does not answer.'
      : upstream === 'reader'
        ? 'The built-in reader answers: it quotes what it was sent.'
        : `Model server: ${data?.upstream.address ?? upstream ?? ''}`
  return (
    <Tooltip text={about}>
      <Link to="/settings" className={`hovers chip ${styles.server}`}>
        <StatusMark status={state === 'away' ? 'failed' : 'live'} label={`Server ${state}:`} />
        <span className={styles.word}>{text}</span>
        {upstream === 'reader' && state !== 'away' && <span className="muted full-only">built in</span>}
      </Link>
    </Tooltip>
  )
}
