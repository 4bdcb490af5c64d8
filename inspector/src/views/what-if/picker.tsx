import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { costQuery } from '../../api/comparison.ts'
import { gridQuery } from '../../api/queries.ts'
import type { ViewPlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FateMatrix } from '../../parts/fate-matrix.tsx'
import { count } from '../../parts/format.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { usualPolicies } from '../../parts/policies.ts'
import styles from './picker.module.css'
import { SelectedMessage } from './selected-message.tsx'
import { type Side, toCode } from './side.ts'
import type { MadeSide } from './use-side.ts'

export interface PickerProps {
  readonly place: ViewPlace
  readonly at: number
  readonly entry: Brief | undefined
  readonly headSeq: number
  readonly a: MadeSide
  readonly b: MadeSide
  /** Where the calls begin over which costs are averaged, and how many these are. */
  readonly recent: { readonly since: number; readonly calls: number }
  /** Whether to request costs: only after the visible parts have loaded. */
  readonly isCostWanted: boolean
  /** For a long log, a choice takes seconds in which the server answers no other request: it is made only on demand. */
  readonly isLong: boolean
  readonly onPick: (policy: string, window: number, isA: boolean) => void
}

/** The selected entry on both sides, every other choice, and B as code. */
export function Picker(props: PickerProps) {
  const { place, entry, headSeq, a, b } = props
  return (
    <aside className={styles.picker} aria-label="The selected message and every choice">
      {entry ? (
        <SelectedMessage {...{ place, headSeq, a, b, entry }} />
      ) : (
        <p className={`muted text-12 ${styles.hint}`}>
          Select a message to see why each side has it or not, and where it would survive.
        </p>
      )}
      <Matrix {...props} />
      <Code {...b} />
    </aside>
  )
}

const usualWindows = [2048, 4096, 8192, 16_384, 32_768]

/** Policies that take long to make come last. */
const slow = 'tiered'

function Matrix(props: PickerProps) {
  const { place, at, recent, isCostWanted, isLong, onPick } = props
  const [a, b] = [props.a.full, props.b.full]
  const entry = props.entry?.seq
  const [isAsked, setAsked] = useState(false)
  const isMade = !isLong || isAsked
  const windows = useMemo(
    () => withMore(usualWindows, [a.window, b.window]).sort((one, other) => one - other),
    [a.window, b.window],
  )
  const policies = useMemo(() => withMore(usualPolicies, [a, b].map(nameable)), [a, b])
  const gridOptions = useDeferredValue(
    useMemo(
      () => ({
        windows,
        policies: [...policies].sort(
          (one, other) => Number(one.startsWith(slow)) - Number(other.startsWith(slow)),
        ),
        at,
        entry,
      }),
      [windows, policies, at, entry],
    ),
  )
  const { data: cells = [] } = useQuery({ ...gridQuery(place.thread, gridOptions), enabled: isMade })
  const costs = useCosts(place, {
    windows,
    policies: usualPolicies,
    ...recent,
    isWanted: isCostWanted && isMade,
  })
  return (
    <section>
      <h2>
        {entry === undefined ? 'What a call would read' : 'Where it would be, and what a call would cost'}
      </h2>
      <FateMatrix
        {...{ windows, policies, cells, at }}
        label={
          entry === undefined
            ? 'What a call reads in other windows and with other policies'
            : `The fate of entry ${entry} in other windows and with other policies`
        }
        figureOf={(policy, window) => costs.get(window)?.get(policy)}
        marked={[...marksOf(a, 'A'), ...marksOf(b, 'B')]}
        onPick={onPick}
      />
      {!isMade && (
        <Button onClick={() => setAsked(true)} className={styles.make ?? ''}>
          Make all choices
        </Button>
      )}
      <p className={`muted text-11 ${styles.note}`}>
        The number: tokens that must be read anew in a call, the mean of the last {count(recent.calls)}. A
        click sets B, with Shift A.
      </p>
    </section>
  )
}

/** A policy that the matrix can name: an unknown one of an address is none. */
const nameable = ({ policy = '', effort }: Side) =>
  effort === undefined && (usualPolicies.includes(policy) || /^(sliding|tiered)-[1-9]\d{0,5}$/.test(policy))
    ? policy
    : undefined

const marksOf = (side: Side, letter: string) => {
  const policy = nameable(side)
  return policy === undefined || side.window === undefined ? [] : [{ policy, window: side.window, letter }]
}

function withMore<Value>(usual: readonly Value[], more: readonly (Value | undefined)[]): Value[] {
  return [...new Set([...usual, ...more.filter(one => one !== undefined)])]
}

interface CostsWanted {
  readonly windows: readonly number[]
  readonly policies: readonly string[]
  readonly since: number
  readonly isWanted: boolean
}

/** The mean of what recent calls would have read, by window and policy. Windows are requested one by one. */
function useCosts({ thread }: ViewPlace, { windows, policies, since, isWanted }: CostsWanted) {
  const client = useQueryClient()
  const queries = windows.map(window =>
    // The first policy is always computed; the rest are computed as comparisons with it.
    costQuery(thread, { window, policy: policies[0]!, since }, policies.slice(1)),
  )
  const results = useQueries({
    queries: queries.map((query, index) => ({
      ...query,
      enabled:
        isWanted &&
        queries
          .slice(0, index)
          .every(
            before =>
              client.getQueryState(before.queryKey)?.fetchStatus !== 'fetching' &&
              client.getQueryData(before.queryKey) !== undefined,
          ),
    })),
  })
  const costs = new Map<number, ReadonlyMap<string, number>>()
  for (const [index, { data }] of results.entries())
    if (data)
      costs.set(
        windows[index]!,
        new Map(policies.map(policy => [policy, mean(data.against[policy] ?? data.anew)])),
      )
  return costs
}

const mean = (amounts: readonly number[]) =>
  amounts.length === 0 ? 0 : amounts.reduce((sum, one) => sum + one, 0) / amounts.length

function Code({ full, answer }: MadeSide) {
  if (!answer) return null
  const code = toCode({ ...full, window: answer.window, reserve: answer.reserve })
  return (
    <section>
      <header>
        <h2>B, as code</h2>
        <CopyButton text={code} />
      </header>
      <pre className={`written code on-sunken framed round-2 ${styles.code}`}>{code}</pre>
    </section>
  )
}
