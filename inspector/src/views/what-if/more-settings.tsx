import { Popover } from '@base-ui/react/popover'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import buttons from '../../parts/button.module.css'
import choice from '../../parts/choice-menu.module.css'
import field from '../../parts/field.module.css'
import menu from '../../parts/menu.module.css'
import styles from './settings.module.css'
import type { Side } from './side.ts'
import { withPolicy } from './side.ts'

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
            <label className="muted caption" htmlFor={`${id}o`}>
              Notes
            </label>
            <select
              id={`${id}o`}
              className={field.input}
              value={notes ?? ''}
              onChange={event => change(without({ ...side, notes: event.target.value as 'off' }, 'notes'))}
            >
              <option value="">as usual</option>
              <option value="inline">in their messages</option>
              <option value="system">in the system prompt</option>
              <option value="off">left out</option>
            </select>
            <label className="muted caption" htmlFor={`${id}h`}>
              Roles
            </label>
            <select
              id={`${id}h`}
              className={field.input}
              value={shape ?? ''}
              onChange={event => change(without({ ...side, shape: event.target.value as 'free' }, 'shape'))}
            >
              <option value="">as usual</option>
              <option value="free">as they come</option>
              <option value="alternating">user and assistant in turn</option>
            </select>
            <label className="muted caption" htmlFor={`${id}y`}>
              System prompt
            </label>
            <select
              id={`${id}y`}
              className={field.input}
              value={system === undefined ? '' : system === '' ? 'none' : 'other'}
              onChange={event =>
                change(
                  without(
                    { ...side, ...promptOf(event.target.value) },
                    event.target.value === '' ? 'system' : undefined,
                  ),
                )
              }
            >
              <option value="">as in the last call</option>
              <option value="none">none</option>
              <option value="other">another one</option>
            </select>
            {system !== undefined && system !== '' && (
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

const promptOf = (choice: string): Partial<Side> =>
  choice === 'none' ? { system: '' } : choice === 'other' ? { system: 'You are a helpful assistant.' } : {}

/** A side without a setting that is empty. */
function without(side: Side, name: 'notes' | 'shape' | 'system' | undefined): Side {
  if (name === undefined || (name !== 'system' && side[name])) return side
  const { [name]: _, ...rest } = side
  return rest
}
