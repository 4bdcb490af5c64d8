import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { outlineQuery } from '../../api/queries.ts'
import { timelineQuery } from '../../api/timeline.ts'
import { usePlace, type ViewPlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { inModelTokens } from '../../parts/calibration.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { type Brief, toScale } from '../../parts/log-scale.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { toggled } from '../../parts/toggled.ts'
import { HoverProvider, useNewHover } from '../../parts/use-hover.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { CompareHeader } from './compare-header.tsx'
import { type CallPlace, differenceOf, toCallPlaces, toItems } from './difference.ts'
import { FiguresBetween } from './figures-between.tsx'
import { Picker } from './picker.tsx'
import { named, readSides, type Side, withPolicy, writeSide } from './side.ts'
import { SideHead } from './side-head.tsx'
import { SideList } from './side-list.tsx'
import { type MadeSide, useCost, useSide } from './use-side.ts'
import styles from './what-if-view.module.css'
import { Wire } from './wire.tsx'

/** Two windows and policies side by side: what either sends, what it loses and gains, what it would read. */
export function WhatIfView() {
  const place = usePlace()
  const outline = useQuery(outlineQuery(place.thread))
  return <QueryState query={outline}>{entries => <Loaded place={place} entries={entries} />}</QueryState>
}

function Loaded({ place, entries }: { readonly place: ViewPlace; readonly entries: readonly Brief[] }) {
  const { search, thread, go } = place
  const calls = useMemo(() => toCallPlaces(entries), [entries])
  const isByCall = search.call !== undefined && !/^\d+$/.test(search.call)
  // Only the line of a call says at which place it was made.
  const timeline = useQuery({ ...timelineQuery(thread), enabled: isByCall })
  const called = isByCall ? timeline.data?.points.find(({ call }) => call === search.call)?.at : undefined
  const index = findPlace(calls, { turn: search.turn, at: called ?? Number(search.call) })
  const now = calls[index]
  if (calls.length === 0)
    return (
      <EmptyState title="No model was asked yet">
        Two ways to fit a conversation are compared here.
      </EmptyState>
    )
  if (!now)
    return (
      <EmptyState
        title={`There is no turn ${search.turn}`}
        action={<Button onClick={() => go({ turn: undefined, call: undefined })}>Show the latest</Button>}
      />
    )
  return <Compared place={place} entries={entries} calls={calls} index={index} />
}

/** The place that an address means: a turn by its first call, else the newest. */
function findPlace(
  calls: readonly CallPlace[],
  { turn, at }: { readonly turn: number | undefined; readonly at: number },
): number {
  const index = calls.findIndex(one => one.at === at)
  if (index >= 0) return index
  return turn === undefined ? calls.length - 1 : calls.findIndex(one => one.turn === turn)
}

interface ComparedProps {
  readonly place: ViewPlace
  readonly entries: readonly Brief[]
  readonly calls: readonly CallPlace[]
  readonly index: number
}

const none: ReadonlySet<string> = new Set()
const few = 600
const recentCalls = 30
/** A log with more entries than this is long. */
const longest = 4000

function Compared({ place, entries: counted, calls, index }: ComparedProps) {
  const { thread, search, go } = place
  const { at, turn } = calls[index]!
  const since = calls[index - 1]?.at
  const hover = useNewHover()
  const isSlim = useMedia(isNarrow)
  const [shownSide, setShownSide] = useState<'a' | 'b'>('a')
  const [open, setOpen] = useState(none)

  const sides = useMemo(() => readSides(search), [search])
  const a = useSide(thread, { letter: 'A', side: sides.a, at, since })
  const b = useSide(thread, { letter: 'B', side: sides.b, at, since, like: a.answer })
  const factor = a.answer?.factor
  const entries = useMemo(() => inModelTokens(counted, factor), [counted, factor])
  const scale = useMemo(() => toScale(entries.slice(0, at)), [entries, at])
  const tokensOf = useCallback((seq: number) => entries[seq - 1]?.tokens ?? 0, [entries])
  const isBoth = a.answer !== undefined && b.answer !== undefined
  const [one, other] = [a.context, b.context]
  const [aItems, bItems] = useMemo(() => {
    const options = { tokensOf, open }
    return isBoth ? [toItems(one, other, options), toItems(other, one, options)] : [[], []]
  }, [one, other, tokensOf, open, isBoth])
  const difference = useMemo(() => differenceOf(one.fates, other.fates), [one, other])

  const selected =
    search.entry !== undefined && search.entry >= 1 && search.entry <= at ? search.entry : undefined
  const select = useCallback((seq: number | undefined) => go({ entry: seq }), [go])
  const fold = useCallback((key: string) => setOpen(before => toggled(before, key)), [])

  const set = (changes: { readonly a?: Side; readonly b?: Side }, isFirst: boolean) => {
    const { text: aText, system: aSystem } = writeSide(changes.a ?? a.full)
    const { text: bText, system: bSystem } = writeSide(changes.b ?? b.full)
    go({ a: aText, b: bText, systemA: aSystem, systemB: bSystem }, { push: isFirst })
  }
  const swap = () => set({ a: b.full, b: a.full }, true)
  const toTurn = (by: number) => {
    const turns = [...new Set(calls.map(place => place.turn))]
    const next = turns[Math.min(turns.length - 1, Math.max(0, turns.indexOf(turn) + by))]
    go({ turn: next === turns.at(-1) ? undefined : next, call: undefined })
  }
  const toCall = (by: number) => {
    const next = calls[index + by]
    if (next) go({ turn: next.turn, call: String(next.at) })
  }
  const step = (by: number) => {
    for (let seq = (selected ?? (by > 0 ? 0 : at + 1)) + by; seq >= 1 && seq <= at; seq += by)
      if (one.fates[seq] !== other.fates[seq]) return select(seq)
  }
  useKeys('What if', [
    { keys: 'j', does: 'next message that differs', run: () => step(1) },
    { keys: 'k', does: 'previous message that differs', run: () => step(-1) },
    { keys: 's', does: 'swap A and B', run: swap },
    { keys: 'ArrowLeft', does: 'turn before', run: () => toTurn(-1) },
    { keys: 'ArrowRight', does: 'turn after', run: () => toTurn(1) },
    { keys: '[', does: 'call before', run: () => toCall(-1) },
    { keys: ']', does: 'call after', run: () => toCall(1) },
    { keys: 'Escape', does: 'select nothing', run: () => select(undefined) },
  ])

  // Of a long conversation only the newest calls are summed up: all of them would take minutes.
  const isAll = calls.length <= few
  const recentSince = calls.at(-recentCalls)?.at ?? 0
  const costSince = isAll ? 0 : recentSince
  const aCost = useCost(thread, a, costSince, isBoth)
  const bCost = useCost(thread, b, costSince, isBoth && aCost !== undefined)
  const costName = isAll
    ? `tokens in all ${amountOf(calls.length, 'call')}`
    : `tokens in the last ${amountOf(recentCalls, 'call')}`

  const lettersOf = (isSo: (side: MadeSide) => unknown) =>
    [isSo(a) && 'A', isSo(b) && 'B'].filter(Boolean).join(' and ')
  const broken = lettersOf(({ error }) => error)
  const over = lettersOf(({ answer }) => answer && answer.over > 0)
  const shared = {
    isMaking: broken === '',
    thread,
    head: entries.length,
    selected,
    onSelect: select,
    onFold: fold,
  }
  const lists = {
    a: <SideList {...shared} side={a} items={aItems} />,
    b: <SideList {...shared} side={b} items={bItems} />,
  }
  return (
    <HoverProvider value={hover}>
      <div className={`view slim ${styles.view}`}>
        <CompareHeader
          difference={isBoth ? difference : undefined}
          {...{ broken, over, turn, calls }}
          onSwap={swap}
          onTurn={toTurn}
        />
        <SideHead side={a} onChange={(side, isFirst) => set({ a: named(side, a.answer) }, isFirst)} />
        <FiguresBetween
          pairs={[
            { name: 'messages sent', a: sentOf(a), b: sentOf(b), isMoreBetter: true },
            { name: 'tokens read anew', a: anewOf(a), b: anewOf(b), isMoreBetter: false },
            { name: costName, a: aCost, b: bCost, isMoreBetter: false, isShort: true },
          ]}
        />
        <SideHead
          side={b}
          onChange={(side, isFirst) => set({ b: named(side, b.answer ?? a.answer) }, isFirst)}
        />
        {isSlim && (
          <div className={`flex gap-1 ${styles.switch}`} role="group" aria-label="Which list is shown">
            {(['a', 'b'] as const).map(letter => (
              <button
                key={letter}
                type="button"
                aria-pressed={shownSide === letter}
                onClick={() => setShownSide(letter)}
              >
                {letter === 'a'
                  ? `A: ${isBoth ? count(difference.lost) : '…'} that B loses`
                  : `B: ${isBoth ? count(difference.gained) : '…'} that it gains`}
              </button>
            ))}
          </div>
        )}
        {(!isSlim || shownSide === 'a') && lists.a}
        <Wire {...{ scale, a, b, aItems, bItems, selected }} onSelect={select} hasRibbons={!isSlim} />
        {(!isSlim || shownSide === 'b') && lists.b}
        <Picker
          {...{ place, at, a, b }}
          entry={selected === undefined ? undefined : entries[selected - 1]}
          headSeq={entries.length}
          recent={{ since: recentSince, calls: Math.min(recentCalls, calls.length) }}
          isCostWanted={bCost !== undefined}
          isLong={entries.length > longest}
          onPick={(policy, window, isA) => {
            const side = { ...withPolicy((isA ? a : b).full, policy), window, reserve: undefined }
            set(isA ? { a: side } : { b: side }, true)
          }}
        />
      </div>
    </HoverProvider>
  )
}

const sentOf = ({ answer }: MadeSide) => answer && answer.at - answer.counts.omitted
const anewOf = ({ answer }: MadeSide) => answer && answer.tokens - (answer.prefix?.tokens ?? 0)
