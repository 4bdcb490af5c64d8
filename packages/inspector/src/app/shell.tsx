import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Keyboard, KeyRound, SunMoon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { keyProblem } from '../api/client.ts'
import { connection, keepTrying, tryNow } from '../api/connection.ts'
import { Button } from '../parts/button.tsx'
import { clockTime } from '../parts/format.ts'
import { KeyField, takeTyped } from '../parts/key-field.tsx'
import { useHeldKeys, useKeys } from '../parts/keys.ts'
import { Notice } from '../parts/notice.tsx'
import { notifications } from '../parts/notify.ts'
import { Late } from '../parts/query-state.tsx'
import { toggleTheme } from '../parts/theme.ts'
import { Tooltip } from '../parts/tooltip.tsx'
import { type places, settingsPlaces, usePlaces } from './places.ts'
import styles from './shell.module.css'
import { palette } from './view-frame.tsx'

const CommandPalette = lazy(() => keepTrying(() => import('./command-palette.tsx')))
const KeyHelp = lazy(() => keepTrying(() => import('./key-help.tsx')))

/** The frame of the page: the rail, and beside it the view. Asks for a key where the server wants one. */
export function Shell() {
  const navigate = useNavigate()
  const problem = keyProblem.use()
  const isPaletteOpen = palette.use()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const shown = usePlaces()
  useHeldKeys(isPaletteOpen || isHelpOpen)
  useKeys('Everywhere', [
    { keys: 'Mod+k', does: 'find anything', run: () => palette.set(true), isEverywhere: true },
    { keys: '?', does: 'all keys', run: () => setHelpOpen(true) },
    { keys: 't', does: 'light or dark', run: toggleTheme },
    ...[...shown, ...settingsPlaces].map(({ to, ...key }) => ({
      ...key,
      run: () => void navigate({ to }),
    })),
  ])
  return (
    <div className={`grid clipped ${styles.shell}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page, and the address stays */}
      <a href="#view" className={`medium outlined round-2 ${styles.skip}`} onClick={toView}>
        Skip to the view
      </a>
      <nav className={styles.rail} aria-label="Throughline">
        <Link to="/" className={styles.logo} aria-label="Throughline: all conversations">
          <Logo />
        </Link>
        {shown.map(place => (
          <RailLink key={place.to} {...place} />
        ))}
        <span className="fill" />
        <RailLink {...settingsPlaces[0]} />
        {[
          { label: 'All keys', keys: '?', Icon: Keyboard, onClick: () => setHelpOpen(true) },
          { label: 'Light or dark', keys: 't', Icon: SunMoon, onClick: toggleTheme },
        ].map(({ label, keys, Icon, onClick }) => (
          <Tooltip key={keys} text={`${label} (${keys})`} side="right">
            <button type="button" aria-label={label} onClick={onClick}>
              <Icon size={16} aria-hidden />
            </button>
          </Tooltip>
        ))}
        <RailLink {...settingsPlaces[1]} />
      </nav>
      <div className={`grid slim low relative ${styles.content}`}>
        {problem === undefined ? <Outlet /> : <KeyForm why={problem} />}
        <AwayNotice />
      </div>
      <Notifications />
      <Suspense>
        {isPaletteOpen && <CommandPalette onClose={() => palette.set(false)} />}
        {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
      </Suspense>
    </div>
  )
}

function Logo() {
  return (
    <svg
      width="22"
      height="22"
      viewBox="0 0 24 24"
      fill="none"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M5 8v9M9.5 6v9M14.5 8v9M19 6v9" stroke="var(--line-3)" strokeWidth="1.6" />
      <path d="M2.5 15c4 0 4.5-5 9-5s5 2 10 0" stroke="currentColor" strokeWidth="2.2" />
    </svg>
  )
}

const RailLink = ({ to, label, Icon }: (typeof places | typeof settingsPlaces)[number]) => (
  <Tooltip text={label} side="right">
    <Link to={to} aria-label={label} activeOptions={{ exact: to === '/' }}>
      <Icon size={16} aria-hidden />
    </Link>
  </Tooltip>
)

/** Says since when the server does not answer. What is on screen stays. */
function AwayNotice() {
  const now = connection.use()
  if (now.state !== 'away') return null
  return (
    // A server that is started again is back before this shows.
    <Late ms={1500}>
      <div className={`on-panel line-above ${styles.away}`}>
        <Notice kind="danger">
          <strong>
            No answer from {location.host} since {clockTime(now.since)}.
          </strong>{' '}
          You see what was there then.{' '}
          <button type="button" onClick={tryNow}>
            Try now
          </button>
        </Notice>
      </div>
    </Late>
  )
}

function Notifications() {
  const all = notifications.use()
  return (
    <div className={`grid gap-2 ${styles.stack}`} role="status">
      {all.map(({ id, text, kind }) => (
        <p key={id} data-kind={kind}>
          {text}
        </p>
      ))}
    </div>
  )
}

function toView(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('view')?.focus()
}

function KeyForm({ why }: { readonly why: 'missing' | 'refused' }) {
  return (
    <main id="view" tabIndex={-1} className={`centred scrolls ${styles.place}`}>
      <form className={`grid gap-2 on-panel framed round-3 ${styles.form}`} action={takeTyped}>
        <KeyRound size={20} aria-hidden />
        <h1>This server needs a key</h1>
        {why === 'refused' && (
          <p className="soft" role="alert">
            This key is not known here: it is wrong, or was revoked.
          </p>
        )}
        <KeyField label="Key" />
        <p className="muted text-12">
          It needs the scopes <b>read</b> and <b>inspect</b>; to talk, also <b>chat</b>. It is kept
          until this tab is closed.
        </p>
        <Button kind="primary" type="submit">
          Open
        </Button>
      </form>
    </main>
  )
}
