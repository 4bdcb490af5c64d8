import { Popover } from '@base-ui/react/popover'
import { SlidersHorizontal } from 'lucide-react'
import { Fragment, useId, useState } from 'react'
import buttons from '../../parts/button.module.css'
import choice from '../../parts/choice-menu.module.css'
import field from '../../parts/field.module.css'
import menu from '../../parts/menu.module.css'
import styles from './settings.module.css'
import { type Side, withPolicy } from './side.ts'

export interface MoreSettingsProps {
  readonly letter: string
  readonly side: Side
  readonly onChange: (side: Side, isFirst: boolean) => void
}

/** The settings that are seldom changed: effort, how many messages a policy keeps, notes, shape, the system prompt. */
export function MoreSettings({ letter, side, onChange }: MoreSettingsProps) {
  const [isChanged, setChanged] = useState(false)
  const id = useId()
  const change = (next: Side) => {
    onChange(next, !isChanged)
    setChanged(true)
  }
  const { effort, notes, shape, system, policy } = side
  const [, numbered, many] = /^(sliding|tiered)(?:-(\d+))?$/.exec(policy ?? '') ?? []
  const changed = [effort, notes, shape, system].filter(one => one !== undefined).length
  return (
    <Popover.Root onOpenChange={() => setChanged(false)}>
      <Popover.Trigger
        className={`${buttons.button} ${choice.trigger}`}
        aria-label={`More settings of ${letter}${changed > 0 ? `, ${changed} changed` : ''}`}
      >
        <SlidersHorizontal size={12} aria-hidden />
        {changed > 0 && <span className={choice.text}>{changed}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className={menu.positioner}>
          <Popover.Popup className={styles.popup} aria-label={`More settings of ${letter}`}>
            <label className="muted caption" htmlFor={`${id}e`}>
              Effort: how much is recalled {effort === undefined ? '' : `(${effort} %)`}
            </label>
            <input
              id={`${id}e`}
              type="range"
              min={0}
              max={100}
              step={5}
              value={effort ?? 50}
              aria-valuetext={effort === undefined ? 'as the policy has it' : `${effort} %`}
              onChange={event => change({ ...side, policy: 'default', effort: Number(event.target.value) })}
            />
            {numbered && (
              <>
                <label className="muted caption" htmlFor={`${id}n`}>
                  {numbered === 'sliding' ? 'The last messages' : 'Exchanges that are sent whole'}
                </label>
                <input
                  id={`${id}n`}
                  className={field.input}
                  type="number"
                  min={1}
                  max={99_999}
                  value={many ?? (numbered === 'sliding' ? 50 : 2)}
                  onChange={event => {
                    const next = Number(event.target.value)
                    if (Number.isInteger(next) && next >= 1 && next <= 99_999)
                      change(withPolicy(side, `${numbered}-${next}`))
                  }}
                />
              </>
            )}
            {selects.map(({ name, label, choices }) => (
              <Fragment key={name}>
                <label className="muted caption" htmlFor={`${id}${name}`}>
                  {label}
                </label>
                <select
                  id={`${id}${name}`}
                  className={field.input}
                  value={name === 'system' ? promptOf(system) : (side[name] ?? '')}
                  onChange={({ target: { value } }) =>
                    change({ ...side, [name]: value === '' ? undefined : (prompts[value] ?? value) })
                  }
                >
                  {Object.entries(choices).map(([value, about]) => (
                    <option key={value} value={value}>
                      {about}
                    </option>
                  ))}
                </select>
              </Fragment>
            ))}
            {system && (
              <textarea
                className={`${field.input} ${styles.prompt}`}
                aria-label={`System prompt of ${letter}`}
                maxLength={longestPrompt}
                value={system}
                onChange={event => change({ ...side, system: event.target.value || ' ' })}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** It stands in the address. */
const longestPrompt = 4000

/** The system prompts that can be chosen. */
const prompts: Readonly<Record<string, string>> = { none: '', other: 'You are a helpful assistant.' }
const promptOf = (system: string | undefined) =>
  system === undefined ? '' : system === '' ? 'none' : 'other'

/** The choices by their values; the empty one leaves the setting out. */
const selects = [
  {
    name: 'notes',
    label: 'Notes',
    choices: { '': 'as usual', inline: 'in their messages', system: 'in the system prompt', off: 'left out' },
  },
  {
    name: 'shape',
    label: 'Roles',
    choices: { '': 'as usual', free: 'as they come', alternating: 'user and assistant in turn' },
  },
  {
    name: 'system',
    label: 'System prompt',
    choices: { '': 'as in the last call', none: 'none', other: 'another one' },
  },
] as const
