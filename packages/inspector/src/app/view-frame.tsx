import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkOptions, useLocation, useNavigate } from '@tanstack/react-router'
import { Menu as Bars, ChevronLeft, Search, SunMoon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { connection } from '../api/connection.ts'
import { observable } from '../api/observable.ts'
import { serverQuery } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { useKeys } from '../parts/keys.ts'
import { MenuItem, MenuPopup } from '../parts/menu-popup.tsx'
import { notify } from '../parts/notify.ts'
import { StatusMark } from '../parts/status-mark.tsx'
import { toggleTheme } from '../parts/theme.ts'
import { Tooltip } from '../parts/tooltip.tsx'
import { useTitle } from '../parts/use-title.ts'
import { settingsPlaces, usePlaces } from './places.ts'
import styles from './view-frame.module.css'

export const palette = observable(false)

interface ViewFrameProps {
  /** Where this is: `Conversations / Toad patrol`. */
  readonly crumb: React.ReactNode
  /** The list that this belongs to: narrow screens show the way back as an arrow. */
  readonly back?: '/' | '/e' | '/try' | undefined
  readonly tabs?: React.ReactNode
  readonly children: React.ReactNode
}

/** A view under its header: where it is, the views beside it, whether the server is there, and the way to everything. */
export function ViewFrame({ crumb, back, tabs, children }: ViewFrameProps) {
  const { state } = connection.use()
  return (
    <div className={`grid slim low ${styles.frame}`}>
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
      <main
        id="view"
        tabIndex={-1}
        className={`slim low scrolls relative ${styles.view}`}
        data-away={state === 'away'}
      >
        {children}
      </main>
    </div>
  )
}

/** The views beside this one. Narrow screens scroll them, and the one that is open is in sight. */
function Tabs({ children }: { readonly children: React.ReactNode }) {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is open at another address
  useEffect(() => {
    nav.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
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
        {upstream === 'reader' && state !== 'away' && (
          <span className="muted full-only">built in</span>
        )}
      </Link>
    </Tooltip>
  )
}

/** What the rail has, for screens that are too narrow for it. */
function PlacesMenu() {
  const navigate = useNavigate()
  const places = usePlaces()
  return (
    <Menu.Root>
      <Menu.Trigger className={`centred round-2 phone-only ${styles.places}`} aria-label="Menu">
        <Bars size={16} aria-hidden />
      </Menu.Trigger>
      <MenuPopup align="end">
        {[...places, ...settingsPlaces].map(({ to, label, Icon }) => (
          <MenuItem key={to} label={label} icon={Icon} onClick={() => void navigate({ to })} />
        ))}
        <MenuItem label="Light or dark" icon={SunMoon} onClick={toggleTheme} />
      </MenuPopup>
    </Menu.Root>
  )
}

interface TabbedFrameProps {
  readonly list: { readonly to: '/' | '/e' | '/try'; readonly label: string }
  /** What one of that list is called in the help, and the name of this one. */
  readonly kind: string
  readonly name: string
  readonly tabs: readonly { readonly label: string; readonly link: LinkOptions }[]
  readonly crumb?: React.ReactNode
  readonly children: React.ReactNode
}

/** What has several views: `Conversations / Toad patrol`, the tabs of the views with their keys, and the view that is open. */
export function TabbedFrame({ list, kind, name, tabs, crumb, children }: TabbedFrameProps) {
  const navigate = useNavigate()
  useTitle(name)
  useKeys(
    'Views',
    tabs.map(({ label, link }, at) => ({
      keys: `${at + 1}`,
      does: label,
      run: () => void navigate(link),
    })),
  )
  useKeys(kind, [
    {
      keys: 'y',
      does: 'copy the address of what you see',
      run: () =>
        void navigator.clipboard
          .writeText(location.href)
          .then(() => notify('The address is copied.')),
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
          <span className={`rigid broad-only ${styles.slash}`}>/</span>
          <strong className="ellipsis bold" title={name}>
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
