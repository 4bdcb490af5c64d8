import { Menu } from '@base-ui/react/menu'
import menu from './menu.module.css'

export interface MenuPopupProps {
  /** Which edge of its button the menu keeps to. */
  readonly align: 'start' | 'end'
  readonly children: React.ReactNode
}

/** The list of a menu, over all else. */
export function MenuPopup({ align, children }: MenuPopupProps) {
  return (
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align={align} className={menu.positioner}>
        <Menu.Popup className={`floating scrolls-down ${menu.menu}`}>{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  )
}
