import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Keyboard, Plug, Settings, SunMoon } from 'lucide-react'
import { Suspense, useState } from 'react'
import { keyAsked } from '../api/key.ts'
import { useHeldKeys, useKeys } from '../parts/keys.ts'
import { toggleTheme } from '../parts/theme.ts'
import { Tooltip } from '../parts/tooltip.tsx'
import { AwayNotice } from './away-notice.tsx'
import { KeyForm } from './key-form.tsx'
import { lazySheet } from './lazy-view.ts'
import { Logo } from './logo.tsx'
import { Notifications } from './notifications.tsx'
import { palette } from './palette-state.ts'
import { places } from './places.ts'
import styles from './shell.module.css'

const CommandPalette = lazySheet(() => import('./command-palette.tsx'))
const KeyHelp = lazySheet(() => import('./key-help.tsx'))

/** The frame of the page: the rail, and beside it the view. Asks for a key where the server wants one. */
export function Shell() {
  const navigate = useNavigate()
  const asked = keyAsked.use()
  const isPaletteOpen = palette.use()
  const [isHelpOpen, setHelpOpen] = useState(false)
  useHeldKeys(isPaletteOpen || isHelpOpen)
  useKeys('Everywhere', [
    { keys: 'Mod+k', does: 'find anything', run: () => palette.set(true), isEverywhere: true },
    { keys: '?', does: 'all keys', run: () => setHelpOpen(true) },
    { keys: 't', does: 'light or dark', run: toggleTheme },
    { keys: 'g c', does: 'conversations', run: () => void navigate({ to: '/' }) },
    { keys: 'g e', does: 'experiments', run: () => void navigate({ to: '/e' }) },
    { keys: 'g s', does: 'search in every message', run: () => void navigate({ to: '/search' }) },
    { keys: 'g w', does: 'connect a client, open a sample', run: () => void navigate({ to: '/welcome' }) },
    { keys: 'g p', does: 'settings', run: () => void navigate({ to: '/settings' }) },
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
        {places.map(({ to, label, Icon }) => (
          <Tooltip key={to} text={label} side="right">
            <Link to={to} aria-label={label} activeOptions={{ exact: to === '/' }}>
              <Icon size={16} aria-hidden />
            </Link>
          </Tooltip>
        ))}
        <span className="fill" />
        <Tooltip text="Connect a client" side="right">
          <Link to="/welcome" aria-label="Connect a client">
            <Plug size={16} aria-hidden />
          </Link>
        </Tooltip>
        <Tooltip text="All keys (?)" side="right">
          <button type="button" aria-label="All keys" onClick={() => setHelpOpen(true)}>
            <Keyboard size={16} aria-hidden />
          </button>
        </Tooltip>
        <Tooltip text="Light or dark (t)" side="right">
          <button type="button" aria-label="Light or dark" onClick={toggleTheme}>
            <SunMoon size={16} aria-hidden />
          </button>
        </Tooltip>
        <Tooltip text="Settings" side="right">
          <Link to="/settings" aria-label="Settings">
            <Settings size={16} aria-hidden />
          </Link>
        </Tooltip>
      </nav>
      <div className={`grid slim low relative ${styles.content}`}>
        {asked === undefined ? <Outlet /> : <KeyForm why={asked} />}
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

/** The address stays: it tells what is seen. */
function toView(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('view')?.focus()
}
