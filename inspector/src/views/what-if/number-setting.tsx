import { Popover } from '@base-ui/react/popover'
import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import buttons from '../../parts/button.module.css'
import choice from '../../parts/choice-menu.module.css'
import field from '../../parts/field.module.css'
import { count } from '../../parts/format.ts'
import menu from '../../parts/menu.module.css'
import styles from './settings.module.css'

export interface NumberSettingProps {
  /** `window` */
  readonly name: string
  /** Which side it belongs to. */
  readonly letter: string
  readonly value: number
  readonly presets: readonly number[]
  /** The values of the slider, in their order. */
  readonly stops: readonly number[]
  readonly most: number
  readonly least: number
  readonly onChange: (value: number, isFirst: boolean) => void
}

/** A number of tokens, set by a slider, a preset or typing. `isFirst` marks the first change. */
export function NumberSetting(props: NumberSettingProps) {
  const { name, letter, value, presets, stops, least, most, onChange } = props
  const [isChanged, setChanged] = useState(false)
  const [typed, setTyped] = useState<string>()
  const id = useId()
  const change = (next: number) => {
    if (next === value) return
    onChange(next, !isChanged)
    setChanged(true)
  }
  const entered = typed === undefined ? undefined : Number(typed.replaceAll(',', '').trim())
  const isWrong = entered !== undefined && !(Number.isInteger(entered) && entered >= least && entered <= most)
  const take = () => {
    if (entered !== undefined && !isWrong) change(entered)
    setTyped(undefined)
  }
  // The picture follows typing after a pause.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the wait
  useEffect(() => {
    if (entered === undefined || isWrong) return
    const timer = setTimeout(() => change(entered), 500)
    return () => clearTimeout(timer)
  }, [entered, isWrong])
  return (
    <Popover.Root onOpenChange={() => setChanged(false)}>
      <Popover.Trigger className={`${buttons.button} ${choice.trigger}`}>
        <span className="muted">{name} </span>
        <span className={choice.text}>{count(value)}</span>
        <ChevronDown size={12} aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className={menu.positioner}>
          <Popover.Popup className={styles.popup} aria-label={`The ${name} of ${letter}`}>
            <label className="muted caption" htmlFor={`${id}s`}>
              {name[0]!.toUpperCase()}
              {name.slice(1)} of {letter}, in tokens
            </label>
            <input
              id={`${id}s`}
              type="range"
              min={0}
              max={stops.length - 1}
              value={nearestStop(stops, value)}
              aria-valuetext={`${count(value)} tokens`}
              onChange={event => change(stops[Number(event.target.value)] ?? value)}
            />
            <form
              onSubmit={event => {
                event.preventDefault()
                take()
              }}
            >
              <input
                className={field.input}
                inputMode="numeric"
                aria-label={`${name} of ${letter}, typed`}
                aria-invalid={isWrong}
                value={typed ?? count(value)}
                onFocus={event => event.target.select()}
                onChange={event => setTyped(event.target.value)}
                onBlur={take}
              />
            </form>
            {isWrong && (
              <p className="danger text-11" role="alert">
                A whole number from {count(least)} to {count(most)}.
              </p>
            )}
            <div className={`flex wraps gap-1 ${styles.presets}`} role="group" aria-label="Usual ones">
              {presets.map(preset => (
                <button
                  key={preset}
                  type="button"
                  aria-pressed={preset === value}
                  onClick={() => change(preset)}
                >
                  {count(preset)}
                </button>
              ))}
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function nearestStop(stops: readonly number[], value: number): number {
  let best = 0
  for (const [index, stop] of stops.entries())
    if (Math.abs(stop - value) < Math.abs(stops[best]! - value)) best = index
  return best
}

/** Windows from 512 to 262,144, four to a doubling. */
export const windowStops: readonly number[] = Array.from({ length: 37 }, (_, at) => {
  const size = 2 ** (9 + at / 4)
  return at % 4 === 0 ? size : Math.round(size / 64) * 64
})

/** Reserves up to half of a window. */
export const reserveStops = (window: number): readonly number[] => {
  const step = Math.max(1, Math.ceil(window / 64))
  return Array.from({ length: Math.floor(window / 2 / step) + 1 }, (_, at) => at * step)
}
