import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { Menu as Bars, SunMoon } from 'lucide-react'
import { MenuItem, MenuPopup } from '../parts/menu-popup.tsx'
import { toggleTheme } from '../parts/theme.ts'
import styles from './header.module.css'
import { places, settingsPlaces } from './places.ts'

/** What the rail has, for screens that are too narrow for it. */
export function PlacesMenu() {
  const navigate = useNavigate()
  return (
    <Menu.Root>
      <Menu.Trigger className={`centred round-2 phone-only ${styles.places}`} aria-label="Menu">
        <Bars size={16} aria-hidden />
      </Menu.Trigger>
      <MenuPopup align="end">
        {[...places, ...settingsPlaces].map(({ to, label, Icon }) => (
          <MenuItem key={to} label={label} onClick={() => void navigate({ to })}>
            <Icon size={14} aria-hidden />
          </MenuItem>
        ))}
        <MenuItem label="Light or dark" onClick={toggleTheme}>
          <SunMoon size={14} aria-hidden />
        </MenuItem>
      </MenuPopup>
    </Menu.Root>
  )
}
