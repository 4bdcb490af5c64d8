import { Popover } from '@base-ui/react/popover'
import { SlidersHorizontal } from 'lucide-react'
import { Fragment, useEffect, useId, useState } from 'react'
import buttons from '../../parts/button.module.css'
import choice from '../../parts/choice-menu.module.css'
import { Explained } from '../../parts/explained.tsx'
import field from '../../parts/field.module.css'
import { count, percent, short } from '../../parts/format.ts'
import menu from '../../parts/menu.module.css'
import { ChoiceMenu } from '../../parts/menu-popup.tsx'
import { Notice } from '../../parts/notice.tsx'
import { aboutPolicy, allPolicies } from '../../parts/policies.ts'
import { Skeleton } from '../../parts/query-state.tsx'
import { toSegments } from '../../parts/sent-rows.ts'
import { calibrationText, ofWindow } from '../../parts/token-words.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import { useScene } from './scene.ts'
import { type MadeSide, mostTokens, type Side, withPolicy } from './side.ts'
import styles from './side-head.module.css'

interface SideHeadProps {
  readonly side: MadeSide
  /** `in all 252 calls`: what the cost of the side is summed over. */
  readonly costSpan: string
  /** `isStep`: whether the button "back" leads to what was before. */
  readonly onChange: (side: Side, isStep: boolean) => void
}

/** How a side is made, and what comes of it: its settings, its window, its figures. */
export function SideHead({ side: made, costSpan, onChange }: SideHeadProps) {
  const { shownPoint } = useScene()
  const { letter, side, answer, error, isStale, cost } = made
  const window = side.window ?? answer?.window
  const policy = side.policy ?? answer?.policy ?? ''
  const chosen = side.effort === undefined ? policy : ''
  const choices = [...new Set([...allPolicies, ...(chosen === '' ? [] : [chosen])])]
  return (
    <section className={`grid slim from-top gap-2 ${styles.side}`} aria-label={letter}>
      <div className="row wraps gap-6px slim">
        <b className={`rigid round-1 ${styles.letter}`} data-letter={letter}>
          {letter}
        </b>
        <ChoiceMenu
          text={side.effort === undefined ? policy.replace('-', ' ') : `effort ${side.effort} %`}
          value={chosen}
          choices={choices.map(value => ({
            value,
            label: value.replace('-', ' '),
            more: aboutPolicy(value),
          }))}
          onChoose={policy => onChange(withPolicy(side, policy), true)}
        />
        {window !== undefined && (
          <NumberField
            name="window"
            label={`Window of ${letter}`}
            value={window}
            least={1}
            most={mostTokens}
            onChange={window => onChange({ ...side, window }, true)}
          />
        )}
        {side.hands && <span className="muted text-12">pins and hides of now</span>}
        <MoreSettings {...{ side: made, onChange }} />
      </div>
      {error ? (
        <Notice kind="danger">{error.message}</Notice>
      ) : answer === undefined ? (
        <Skeleton rows={2} label={`Making ${letter}`} />
      ) : (
        <div className={styles.window} data-stale={isStale} aria-busy={isStale}>
          <WindowBar
            size="row"
            segments={toSegments(answer.sent, answer)}
            window={answer.window}
            reserve={answer.reserve}
            margin={answer.margin}
            reused={answer.prefix?.tokens}
            label={`The window of ${letter}: ${count(answer.tokens)} ${ofWindow(answer.window)} are sent, ${count(answer.free)} are free`}
          />
          <p className={`flex wraps soft label bright ${styles.figures}`}>
            <span>
              <b>{count(answer.at - answer.counts.omitted)}</b> messages
            </span>
            {answer.over > 0 ? (
              <span className="danger">
                {count(answer.over)} over: the part that is always sent does not fit
              </span>
            ) : (
              <Explained by={calibrationText(answer.factor, shownPoint.reported)}>
                <b>{count(answer.tokens)}</b> {ofWindow(answer.window)}
              </Explained>
            )}
            <Explained
              by={`${answer.prefix ? `${percent(answer.prefix.share)} would be a cached prefix` : 'Nothing would be cached'}, if the call before had been made in the same way.`}
            >
              <b>{count(answer.tokens - (answer.prefix?.tokens ?? 0))}</b> new
            </Explained>
            <span title="New tokens, added up">
              <b>{cost === undefined ? '…' : short(cost)}</b> {costSpan}
            </span>
          </p>
        </div>
      )}
    </section>
  )
}

/** Settings that are seldom changed: room for the reply, effort, how much a policy keeps, notes, roles, the system prompt. */
function MoreSettings({
  side: { letter, side, answer },
  onChange,
}: Omit<SideHeadProps, 'costSpan'>) {
  const id = useId()
  const { effort, notes, shape, system, policy } = side
  const [, numbered = '', many] = /^(sliding|tiered)(?:-(\d+))?$/.exec(policy ?? '') ?? []
  const keeps = amountsKept[numbered]
  const changed = [side.reserve, effort, notes, shape, system].filter(
    one => one !== undefined,
  ).length
  return (
    <Popover.Root>
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
            <NumberField
              name="kept for the reply"
              label="Tokens kept for the reply"
              value={side.reserve ?? answer?.reserve ?? 0}
              least={0}
              most={Math.max(0, (side.window ?? answer?.window ?? 1) - 1)}
              onChange={reserve => onChange({ ...side, reserve }, true)}
            />
            {keeps && (
              <NumberField
                {...keeps}
                value={Number(many ?? keeps.value)}
                least={1}
                most={99_999}
                onChange={next => onChange(withPolicy(side, `${numbered}-${next}`), true)}
              />
            )}
            <label className="muted caption" htmlFor={`${id}e`}>
              Effort: how much is brought back {effort === undefined ? '' : `(${effort} %)`}
            </label>
            <input
              id={`${id}e`}
              type="range"
              min={0}
              max={100}
              step={5}
              value={effort ?? 50}
              aria-valuetext={effort === undefined ? 'as the policy has it' : `${effort} %`}
              onChange={event =>
                onChange(
                  { ...side, policy: 'default', effort: Number(event.target.value) },
                  effort === undefined,
                )
              }
            />
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
                    onChange(
                      { ...side, [name]: value === '' ? undefined : (prompts[value] ?? value) },
                      true,
                    )
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
                // It stands in the address.
                maxLength={4000}
                value={system}
                onChange={event => onChange({ ...side, system: event.target.value || ' ' }, false)}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** What the number of a policy counts, and what it is by default. */
const amountsKept: Readonly<Record<string, Pick<NumberFieldProps, 'name' | 'label' | 'value'>>> = {
  sliding: { name: 'last messages', label: 'How many last messages', value: 50 },
  tiered: { name: 'exchanges sent whole', label: 'How many exchanges are sent whole', value: 2 },
}

const prompts: Readonly<Record<string, string>> = {
  none: '',
  other: 'You are a helpful assistant.',
}
const promptOf = (system: string | undefined) =>
  system === undefined ? '' : system === '' ? 'none' : 'other'

/** The choices by their values; the empty one leaves the setting out. */
const selects = [
  {
    name: 'notes',
    label: 'Notes',
    choices: {
      '': 'as usual',
      inline: 'in their messages',
      system: 'in the system prompt',
      off: 'left out',
    },
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

interface NumberFieldProps {
  /** What stands before the field, and its whole name. */
  readonly name: string
  readonly label: string
  readonly value: number
  readonly least: number
  readonly most: number
  readonly onChange: (value: number) => void
}

/** A whole number that is typed. It is taken with Enter, when the field is left, and after a pause. */
function NumberField({ name, label, value, least, most, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>()
  const settled = useSettled(typed, 800)
  const entered = Number(typed?.replaceAll(',', '').trim() || Number.NaN)
  const isWrong =
    typed !== undefined && !(Number.isInteger(entered) && entered >= least && entered <= most)
  const take = () => {
    if (typed !== undefined && !isWrong && entered !== value) onChange(entered)
    setTyped(undefined)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what has stood still for a while is taken
  useEffect(() => {
    if (settled !== undefined && settled === typed && !isWrong) take()
  }, [settled])
  const limits = `A whole number from ${count(least)} to ${count(most)}`
  return (
    <label className={`row gap-6px slim text-12 ${styles.number}`}>
      <span className="muted">{name}</span>
      <input
        className={field.input}
        inputMode="numeric"
        size={Math.max(5, count(value).length)}
        aria-label={label}
        aria-invalid={isWrong}
        title={limits}
        value={typed ?? count(value)}
        onFocus={event => event.target.select()}
        onChange={event => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={event => {
          if (event.key === 'Enter') take()
          if (event.key !== 'Escape') return
          // With nothing to take back, the keys of the page are next.
          if (typed === undefined) event.currentTarget.blur()
          setTyped(undefined)
        }}
      />
      {isWrong && (
        <span className="danger text-11" role="alert">
          {limits}.
        </span>
      )}
    </label>
  )
}
