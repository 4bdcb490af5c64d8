import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { outlineQuery } from '../../api/queries.ts'
import { timelineQuery } from '../../api/timeline.ts'
import { type Place, usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { inModelTokens } from '../../parts/calibration.ts'
import { newLanding } from '../../parts/draw-strip.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { type Brief, toScale } from '../../parts/log-scale.ts'
import { allPolicies } from '../../parts/policies.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { toSentMessages } from '../../parts/sent-rows.ts'
import { toggled } from '../../parts/toggled.ts'
import { HoverProvider, useNewHover } from '../../parts/use-hover.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { CompareHeader } from './compare-header.tsx'
import {
  type AskedPlace,
  askedPlaces,
  differenceOf,
  fatesOf,
  runsOf,
  type SideContext,
  toItems,
} from './difference.ts'
import { FiguresBetween } from './figures-between.tsx'
import { Picker } from './picker.tsx'
import { type Side, withPolicy, writeSide } from './side.ts'
import { type SideAnswer, SideHead } from './side-head.tsx'
import { SideList } from './side-list.tsx'
import { named, readSides } from './sides.ts'
import { type MadeSide, useCost, useSide } from './use-side.ts'
import styles from './what-if-view.module.css'
import { Wire } from './wire.tsx'

/** Two windows and policies side by side: what either sends, what it loses and gains, what it would read. */
export function WhatIfView() {
  const place = usePlace()
  const outline = useQuery(outlineQuery(place.thread))
  return <QueryState query={outline}>{entries => <Asked place={place} entries={entries} />}</QueryState>
}

function Asked({ place, entries }: { readonly place: Place; readonly entries: readonly Brief[] }) {
  const { search, thread, go } = place
  const asked = useMemo(() => askedPlaces(entries), [entries])
  const isByCall = search.call !== undefined && !/^\d+$/.test(search.call)
  // Only the line of a call says at which place it was made.
  const timeline = useQuery({ ...timelineQuery(thread), enabled: isByCall })
  const called = isByCall ? timeline.data?.points.find(({ call }) => call === search.call)?.at : undefined
  const index = findPlace(asked, { turn: search.turn, at: called ?? Number(search.call) })
  const now = asked[index]
  if (asked.length === 0)
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
  return <Compared place={place} entries={entries} asked={asked} index={index} />
}

/** The place that an address means: a turn by its first call, else the newest. */
function findPlace(
  asked: readonly AskedPlace[],
  { turn, at }: { readonly turn: number | undefined; readonly at: number },
): number {
  const found = asked.findIndex(one => one.at === at)
  if (found >= 0) return found
  return turn === undefined ? asked.length - 1 : asked.findIndex(one => one.turn === turn)
}

interface ComparedProps {
  readonly place: Place
  readonly entries: readonly Brief[]
  readonly asked: readonly AskedPlace[]
  readonly index: number
}

const none: ReadonlySet<string> = new Set()
const few = 600
const recentCalls = 30
/** A log with more entries than this is long. */
const longest = 4000

function Compared({ place, entries: counted, asked, index }: ComparedProps) {
  const { thread, search, go } = place
  const { at, turn } = asked[index]!
  const since = asked[index - 1]?.at
  const hover = useNewHover()
  const isSlim = useMedia(isNarrow)
  const [shownSide, setShownSide] = useState<'a' | 'b'>('a')
  const [open, setOpen] = useState(none)
  const [landings] = useState(() => ({ a: newLanding(), b: newLanding() }))

  const given = useMemo(() => readSides(search), [search])
  const settled = useSettled(given, 80)
  const asking = { at, ...(since !== undefined && { since }) }
  const one = useSide(thread, settled.a, asking)
  const other = useSide(thread, settled.b, asking)
  const factor = one.answer?.factor
  const entries = useMemo(() => inModelTokens(counted, factor), [counted, factor])
  const sides = {
    a: named(given.a, one.answer),
    b: named(given.b, other.answer ?? one.answer),
  }

  const a = useMemo(() => toContext(one.answer), [one.answer])
  const b = useMemo(() => toContext(other.answer), [other.answer])
  const scale = useMemo(() => toScale(entries.slice(0, at)), [entries, at])
  const tokensOf = useCallback((seq: number) => entries[seq - 1]?.tokens ?? 0, [entries])
  const isBoth = one.answer !== undefined && other.answer !== undefined
  const [aItems, bItems] = useMemo(
    () => (isBoth ? [toItems(a, b, { tokensOf, open }), toItems(b, a, { tokensOf, open })] : [[], []]),
    [a, b, tokensOf, open, isBoth],
  )
  const aSide = useMemo(() => ({ runs: a.runs, items: aItems, landing: landings.a }), [a, aItems, landings])
  const bSide = useMemo(() => ({ runs: b.runs, items: bItems, landing: landings.b }), [b, bItems, landings])
  const difference = useMemo(() => differenceOf(a.fates, b.fates), [a.fates, b.fates])

  const selected =
    search.entry !== undefined && search.entry >= 1 && search.entry <= at ? search.entry : undefined
  const select = useCallback((seq: number | undefined) => go({ entry: seq }), [go])
  const fold = useCallback((key: string) => setOpen(before => toggled(before, key)), [])

  const set = (changes: { readonly a?: Side; readonly b?: Side }, isFirst: boolean) => {
    const { text: aText, system: aSystem } = writeSide(changes.a ?? sides.a)
    const { text: bText, system: bSystem } = writeSide(changes.b ?? sides.b)
    go({ a: aText, b: bText, systemA: aSystem, systemB: bSystem }, { push: isFirst })
  }
  const swap = () => set({ a: sides.b, b: sides.a }, true)
  const toTurn = (by: number) => {
    const turns = [...new Set(asked.map(place => place.turn))]
    const next = turns[Math.min(turns.length - 1, Math.max(0, turns.indexOf(turn) + by))]
    go({ turn: next === turns.at(-1) ? undefined : next, call: undefined })
  }
  const toCall = (by: number) => {
    const next = asked[index + by]
    if (next) go({ turn: next.turn, call: String(next.at) })
  }
  const step = (by: number) => {
    for (let seq = (selected ?? (by > 0 ? 0 : at + 1)) + by; seq >= 1 && seq <= at; seq += by)
      if (a.fates[seq] !== b.fates[seq]) return select(seq)
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
  const isAll = asked.length <= few
  const recentSince = asked.at(-recentCalls)?.at ?? 0
  const costSince = isAll ? 0 : recentSince
  const aCost = useCost(thread, settled.a, one.answer, costSince, isBoth)
  const bCost = useCost(thread, settled.b, other.answer, costSince, isBoth && aCost !== undefined)
  const costName = isAll
    ? `tokens in all ${amountOf(asked.length, 'call')}`
    : `tokens in the last ${amountOf(recentCalls, 'call')}`

  const lettersOf = (isSo: (side: MadeSide) => unknown) =>
    [isSo(one) && 'A', isSo(other) && 'B'].filter(Boolean).join(' and ')
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
    a: <SideList {...shared} letter="A" items={aItems} landing={landings.a} isStale={one.isStale} />,
    b: <SideList {...shared} letter="B" items={bItems} landing={landings.b} isStale={other.isStale} />,
  }
  return (
    <HoverProvider value={hover}>
      <div className={`view slim ${styles.view}`}>
        <CompareHeader
          difference={isBoth ? difference : undefined}
          {...{ broken, over, turn, asked }}
          onSwap={swap}
          onTurn={toTurn}
        />
        <SideHead
          {...{ letter: 'A', side: given.a, policies: allPolicies, caret: undefined }}
          {...one}
          onChange={(side, isFirst) => set({ a: named(side, one.answer) }, isFirst)}
        />
        <FiguresBetween
          pairs={[
            { name: 'messages sent', ...pair(sentOf(one.answer), sentOf(other.answer)), isMoreBetter: true },
            {
              name: 'tokens read anew',
              ...pair(anewOf(one.answer), anewOf(other.answer)),
              isMoreBetter: false,
            },
            { name: costName, ...pair(aCost, bCost), isMoreBetter: false, isShort: true },
          ]}
        />
        <SideHead
          {...{ letter: 'B', side: given.b, policies: allPolicies, caret: undefined }}
          {...other}
          onChange={(side, isFirst) => set({ b: named(side, other.answer ?? one.answer) }, isFirst)}
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
        <Wire scale={scale} a={aSide} b={bSide} selected={selected} onSelect={select} hasRibbons={!isSlim} />
        {(!isSlim || shownSide === 'b') && lists.b}
        <Picker
          place={place}
          at={at}
          entry={selected === undefined ? undefined : entries[selected - 1]}
          headSeq={entries.length}
          a={one.answer}
          b={other.answer}
          sides={sides}
          recent={{ since: recentSince, calls: Math.min(recentCalls, asked.length) }}
          isCostWanted={bCost !== undefined}
          isLong={entries.length > longest}
          onPick={(policy, window, isA) => {
            const side = isA ? sides.a : sides.b
            const { reserve: _, ...rest } = withPolicy(side, policy)
            set({ [isA ? 'a' : 'b']: { ...rest, window } }, true)
          }}
        />
      </div>
    </HoverProvider>
  )
}

const nothing: SideContext = { messages: [], runs: [], fates: [] }

function toContext(answer: SideAnswer | undefined): SideContext {
  if (!answer) return nothing
  const { sent, stretches, tokens, prefix } = answer
  const runs = runsOf(stretches)
  const messages = toSentMessages(sent, { tokens, reused: prefix?.tokens ?? 0 })
  return { messages, runs, fates: fatesOf(runs) }
}

const sentOf = (answer: SideAnswer | undefined) => answer && answer.at - answer.counts.elided
const anewOf = (answer: SideAnswer | undefined) => answer && answer.tokens - (answer.prefix?.tokens ?? 0)
const pair = (a: number | undefined, b: number | undefined) => ({ a, b })
