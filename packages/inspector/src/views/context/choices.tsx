import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { gridQuery, type ThreadAddress } from '../../api/queries.ts'
import { costQuery } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { type Fate, nameOfFate } from '../../parts/fates.ts'
import { amountOf, count, short } from '../../parts/format.ts'
import { usualPolicies } from '../../parts/policies.ts'
import styles from './choices.module.css'
import { useScene } from './scene.ts'
import type { Side } from './side.ts'

export interface ChoicesProps {
  /** Windows and policies, as A or B where they are a side of a comparison. */
  readonly marked: readonly (Pick<Side, 'window' | 'policy'> & { readonly letter?: string })[]
  /** The call from which costs are averaged, and over how many; absent while no costs are wanted. */
  readonly recent?: { readonly since: number; readonly calls: number } | false
  readonly onPick: (policy: string, window: number, isA: boolean) => void
}

const usualWindows = [2048, 4096, 8192, 16_384, 32_768]
/** A cell of a longer log takes seconds in which the server answers no other request: cells are made on request. */
const longest = 4000

/** The fate of an entry in other windows and with other policies, and what a call would read there. A click compares with it. */
export function Choices({ marked, recent, onPick }: ChoicesProps) {
  const { place, point, selected: entry } = useScene()
  const { thread } = place
  const { at } = point
  const [isAsked, setAsked] = useState(false)
  const isMade = at <= longest || isAsked
  const markedKey = JSON.stringify(marked)
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what it says
  const grid = useMemo(() => {
    const windows = marked.flatMap(({ window }) => window ?? [])
    const policies = marked.flatMap(({ policy }) => nameable(policy) ?? [])
    return {
      windows: [...new Set([...usualWindows, ...windows])].sort((one, other) => one - other),
      policies: [...new Set([...usualPolicies, ...policies])],
      ...{ at, entry },
    }
  }, [markedKey, at, entry])
  const { windows, policies } = grid
  const gridOptions = useDeferredValue(grid)
  const slowLast = gridOptions.policies.toSorted((one, other) => slowness(one) - slowness(other))
  const { data: cells = [] } = useQuery({
    ...gridQuery(thread, { ...gridOptions, policies: slowLast }, marked[0]?.letter ?? 'entry'),
    enabled: isMade,
  })
  const costs = useCosts(thread, windows, isMade && recent ? recent.since : undefined)
  const body = useRef<HTMLTableSectionElement>(null)
  const stop = marked.findLast(one => nameable(one.policy)) ?? {
    policy: policies[0],
    window: windows[0],
  }
  const move = (event: React.KeyboardEvent) => {
    const by = ways[event.key]
    const buttons = [...(body.current?.querySelectorAll('button') ?? [])]
    const place = buttons.indexOf(event.target as HTMLButtonElement)
    if (!by || place < 0) return
    event.preventDefault()
    const column = Math.min(windows.length - 1, Math.max(0, (place % windows.length) + by[0]))
    const row = Math.min(
      policies.length - 1,
      Math.max(0, Math.floor(place / windows.length) + by[1]),
    )
    buttons[row * windows.length + column]?.focus()
  }
  return (
    <>
      <table className={`wide text-11 ${styles.matrix}`}>
        <caption className="hidden">
          {entry === undefined ? 'What a call reads' : `Entry ${entry}`} in other windows and with
          other policies
        </caption>
        <thead>
          <tr>
            <td />
            {windows.map(window => (
              <th key={window} scope="col" aria-label={`${count(window)} tokens`}>
                {window % 1024 === 0 ? `${window / 1024}k` : short(window)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={move}>
          {policies.map(policy => (
            <tr key={policy}>
              <th
                scope="row"
                className="cut"
                data-marked={marked.some(mark => mark.policy === policy)}
              >
                {policy.replace('-', ' ')}
              </th>
              {windows.map(window => {
                const cell = cells.find(one => one.policyName === policy && one.window === window)
                const mark = marked.find(one => one.policy === policy && one.window === window)
                const figure = cell && costs.get(window)?.get(policy)
                const name = cell ? aboutOf(cell, at) : 'not known yet'
                return (
                  <td key={window}>
                    <button
                      type="button"
                      className={styles.cell}
                      data-fate={cell?.entry}
                      data-marked={mark !== undefined}
                      // Not a text of the cell: its name says it.
                      data-letter={mark?.letter}
                      tabIndex={policy === stop.policy && window === stop.window ? 0 : -1}
                      aria-label={`${mark?.letter ? `${mark.letter}: ` : ''}${policy} at ${count(window)}: ${name}${figure === undefined ? '' : `, ${short(figure)} new tokens`}`}
                      onClick={event => onPick(policy, window, event.shiftKey)}
                    >
                      {cell?.entry && <FateGlyph fate={cell.entry as Fate} />}
                      {cell && cell.over > 0 ? (
                        <span>over</span>
                      ) : (
                        figure !== undefined && <span>{short(figure)}</span>
                      )}
                    </button>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {!isMade && (
        <Button onClick={() => setAsked(true)} className="space-above-6px">
          Make all choices
        </Button>
      )}
      {recent && (
        <p className="muted text-11 space-above-6px">
          The number: new tokens in a call, the mean of the last {count(recent.calls)}. A click sets
          B, with Shift A.
        </p>
      )}
    </>
  )
}

/** The name of a cell for screen readers. */
const aboutOf = (
  { counts, tokens, over, entry }: AnswerOf<'get /conversations/:conversation/grid'>,
  at: number,
) =>
  [
    ...(entry ? [nameOfFate(entry as Fate)] : []),
    `${amountOf(at - counts.omitted, 'message')} sent`,
    amountOf(tokens, 'token'),
    ...(over > 0 ? ['does not fit'] : []),
  ].join(', ')

/** A policy that a row can have: an unknown one of an address is none. */
const nameable = (policy = '') =>
  usualPolicies.includes(policy) || /^(sliding|tiered)-[1-9]\d{0,5}$/.test(policy)
    ? policy
    : undefined

const slowness = (policy: string) => Number(policy.startsWith('tiered'))

/** Columns and rows that an arrow goes over. */
const ways: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The mean of what recent calls would have read, by window and policy. Windows are requested one by one. */
function useCosts(thread: ThreadAddress, windows: readonly number[], since: number | undefined) {
  const client = useQueryClient()
  const [first, ...others] = usualPolicies
  // The first policy is always computed; the rest are computed as comparisons with it.
  const queries = windows.map(window =>
    costQuery(thread, { window, policy: first!, since: since ?? 0 }, others),
  )
  const isRead = ({ queryKey }: (typeof queries)[number]) =>
    client.getQueryState(queryKey)?.fetchStatus !== 'fetching' &&
    client.getQueryData(queryKey) !== undefined
  const results = useQueries({
    queries: queries.map((query, index) => ({
      ...query,
      enabled: since !== undefined && queries.slice(0, index).every(isRead),
    })),
  })
  const costs = new Map<number, ReadonlyMap<string, number>>()
  for (const [index, { data }] of results.entries())
    if (data)
      costs.set(
        windows[index]!,
        new Map(usualPolicies.map(policy => [policy, mean(data.against[policy] ?? data.anew)])),
      )
  return costs
}

const mean = (amounts: readonly number[]) =>
  amounts.length === 0 ? 0 : amounts.reduce((sum, one) => sum + one, 0) / amounts.length
