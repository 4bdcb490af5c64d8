import { Menu } from '@base-ui/react/menu'
import { Check, ChevronDown, type LucideIcon } from 'lucide-react'
import button from './button.module.css'
import styles from './choice-menu.module.css'
import menu from './menu.module.css'

export function MenuPopup({
  align,
  children,
}: React.PropsWithChildren<{ readonly align: 'start' | 'end' }>) {
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

type MenuItemProps = Menu.Item.Props & MenuTextProps & { readonly icon?: LucideIcon }

export const MenuItem = ({ label, more, isChosen, icon: Icon, ...item }: MenuItemProps) => (
  <Menu.Item className={menu.item} {...item}>
    {Icon && <Icon size={14} aria-hidden />}
    <MenuText {...{ label, more, isChosen }} />
  </Menu.Item>
)

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  /** More about it, at the end of its line. */
  readonly more?: string | undefined
}

export interface ChoiceMenuProps<Value extends string> {
  /** What is chosen, before the value: `window`. */
  readonly name?: string | undefined
  readonly text: string
  readonly value: Value
  readonly choices: readonly Choice<Value>[]
  readonly onChoose: (value: Value) => void
}

export function ChoiceMenu<Value extends string>(props: ChoiceMenuProps<Value>) {
  const { name, text, value, choices, onChoose } = props
  return (
    <Menu.Root>
      <Menu.Trigger className={`${button.button} ${styles.trigger}`}>
        {name && <span className="muted">{name} </span>}
        <span className={styles.text}>{text}</span>
        <ChevronDown size={12} aria-hidden />
      </Menu.Trigger>
      <MenuPopup align="start">
        <Menu.RadioGroup value={value} onValueChange={onChoose}>
          {choices.map(choice => (
            <Menu.RadioItem
              key={choice.value}
              value={choice.value}
              className={menu.item}
              closeOnClick
            >
              <MenuText {...choice} isChosen={choice.value === value} />
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </MenuPopup>
    </Menu.Root>
  )
}
