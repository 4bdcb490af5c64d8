import { Menu } from '@base-ui/react/menu'
import { ChevronDown } from 'lucide-react'
import button from './button.module.css'
import styles from './choice-menu.module.css'
import menu from './menu.module.css'
import { MenuPopup, MenuText } from './menu-popup.tsx'

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  /** More about it, at the end of its line. */
  readonly more?: string | undefined
}

export interface ChoiceMenuProps<Value extends string> {
  /** What is chosen, before the value: `window`. */
  readonly name?: string | undefined
  /** What stands on the button. */
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
            <Menu.RadioItem key={choice.value} value={choice.value} className={menu.item} closeOnClick>
              <MenuText {...choice} isChosen={choice.value === value} />
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </MenuPopup>
    </Menu.Root>
  )
}
