import { Menu } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import menu from './menu.module.css'

export interface MenuPopupProps {
  /** Which edge of its button the menu keeps to. */
  readonly align: 'start' | 'end'
  readonly children: React.ReactNode
}

export function MenuPopup({ align, children }: MenuPopupProps) {
  return (
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align={align} className={menu.positioner}>
        <Menu.Popup className={`floating scrolls-down ${menu.menu}`}>{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  )
}

export interface MenuTextProps {
  readonly label: React.ReactNode
  /** More about it, at the end of its line. */
  readonly more?: React.ReactNode
  /** In a list of choices: whether it is the chosen one. */
  readonly isChosen?: boolean
}

export const MenuText = ({ label, more, isChosen }: MenuTextProps) => (
  <>
    {isChosen !== undefined && (
      <span className={menu.check}>{isChosen && <Check size={14} aria-hidden />}</span>
    )}
    <span className="cut fill slim" dir="auto">
      {label}
    </span>
    {more !== undefined && <span className="rigid muted">{more}</span>}
  </>
)

/** An item of a menu that does something. */
export const MenuItem = ({ label, more, isChosen, children, ...item }: Menu.Item.Props & MenuTextProps) => (
  <Menu.Item className={menu.item} {...item}>
    {children}
    <MenuText {...{ label, more, isChosen }} />
  </Menu.Item>
)
