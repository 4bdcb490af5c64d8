import { ArrowLeftRight } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { toScale } from '../../parts/log-scale.ts'
import { Segments } from '../../parts/segments.tsx'
import { toggled } from '../../parts/toggled.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useAnswer } from './answer.tsx'
import { ContextHead } from './answer-bar.tsx'
import { AskAgain } from './ask-again.tsx'
import { ContextList } from './context-list.tsx'
import styles from './context-view.module.css'
import { EntryPanel } from './entry-panel.tsx'
import { bandsOf, LogStrip } from './log-strip.tsx'
import { type ContextList as List, toContextItems, useScene } from './scene.ts'
import type { MadeSide, Side } from './side.ts'
import {
  callPlaces,
  differenceOf,
  fateIn,
  named,
  noSides,
  sameAs,
  toFit,
  useSide,
  withPolicy,
  writeSide,
} from './side.ts'
import { SideHead } from './side-head.tsx'

const none: ReadonlySet<string> = new Set()
/** The sum over more calls would take minutes: then only recent ones are summed up. */
const mostCalls = 600
const recentCalls = 30

/** Two windows and policies side by side at one moment: what either sends, what B drops and adds, what each would read. */
export default function ComparedContext() {
  const { place, entries, point, selected, select } = useScene()
  const { go } = place
  const { at } = point
  const isSlim = useMedia(isNarrow)
  const [shownSide, setShownSide] = useState<'A' | 'B'>('A')
  const [flipped, setFlipped] = useState(none)

  const calls = useMemo(() => callPlaces(entries), [entries])
  const isAll = calls.length <= mostCalls
  const recentSince = calls.at(-recentCalls) ?? 0
  const shared = { since: calls.findLast(one => one < at), costSince: isAll ? 0 : recentSince }
  const [isBoth, setBoth] = useState(false)
  const a = useSide('A', { ...shared, isCostWanted: isBoth })
  const b = useSide('B', { ...shared, isCostWanted: a.cost !== undefined, like: a.answer })
  if (isBoth !== (a.answer !== undefined && b.answer !== undefined)) setBoth(!isBoth)
  const aList = useList(a, isBoth ? b : undefined, flipped, selected)
  const bList = useList(b, isBoth ? a : undefined, flipped, selected)
  const [aRuns, bRuns] = [a.runs, b.runs]
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the fates of the sides count
  const difference = useMemo(() => differenceOf(a, b, at), [aRuns, bRuns, at])

  const swap = () => go({ ...writeSide('A', b.full), ...writeSide('B', a.full) }, { push: true })
  const leave = () => go(noSides, { push: true })
  const step = (by: number) => {
    for (let seq = (selected ?? (by > 0 ? 0 : at + 1)) + by; seq >= 1 && seq <= at; seq += by)
      if (fateIn(a, seq) !== fateIn(b, seq)) return select(seq)
  }
  useKeys('Comparison', [
    { keys: 'j', does: 'next message that differs', run: () => step(1) },
    { keys: 'k', does: 'previous message that differs', run: () => step(-1) },
    { keys: 's', does: 'swap A and B', run: swap },
    {
      keys: 'Escape',
      does: 'select nothing, then end the comparison',
      run: () => (selected === undefined ? leave() : select(undefined)),
    },
  ])

  const old = useAnswer()
  const costSpan = `new in ${isAll ? 'all' : 'the last'} ${amountOf(isAll ? calls.length : recentCalls, 'call')}`
  const listOf = (side: MadeSide, other: MadeSide, list: List) => (
    <ContextList
      {...{ side, other, list, landing: side.landing }}
      onFold={key => setFlipped(before => toggled(before, key))}
    />
  )
  return (
    <>
      <section
        className={`slim on-panel line-below ${styles.compared}`}
        aria-label="The comparison"
      >
        <ContextHead title={titleOf(a, b, isBoth ? difference : undefined)}>
          <p className="muted slim wide-only">
            {isBoth &&
              `${count(difference.same)} the same, ${count(difference.altered)} in another form. No model was asked.`}
          </p>
          {old !== undefined && (
            <AskAgain {...{ old, settings: againOf(b.full) }} label="Ask again like B" />
          )}
          <Button kind="icon" aria-label="Swap A and B" title="Swap A and B (s)" onClick={swap}>
            <ArrowLeftRight size={14} aria-hidden />
          </Button>
        </ContextHead>
        <div className={`grid ${styles.sides}`}>
          {[a, b].map(made => (
            <SideHead
              key={made.letter}
              side={made}
              costSpan={costSpan}
              onChange={(side, isStep) =>
                go(writeSide(made.letter, named(side, made.answer ?? a.answer)), { push: isStep })
              }
            />
          ))}
        </div>
        {isSlim && (
          <Segments
            label="Which list is shown"
            value={shownSide}
            choices={{
              A: `A: ${isBoth ? count(difference.dropped) : '…'} that B drops`,
              B: `B: ${isBoth ? count(difference.added) : '…'} that it adds`,
            }}
            onChoose={setShownSide}
          />
        )}
      </section>
      <div className={`grid low ${styles.scene}`} data-compared="true">
        {(!isSlim || shownSide === 'A') && listOf(a, b, aList)}
        <Wire {...{ a, b, aList, bList }} hasRibbons={!isSlim} />
        {(!isSlim || shownSide === 'B') && listOf(b, a, bList)}
        <EntryPanel
          sides={[a, b]}
          recent={
            b.cost !== undefined && {
              since: recentSince,
              calls: Math.min(recentCalls, calls.length),
            }
          }
          onPick={(policy, window, isA) => {
            const { letter, full } = isA ? a : b
            const side = { ...withPolicy(full, policy), window, reserve: undefined }
            go(writeSide(letter, side), { push: true })
          }}
        />
      </div>
    </>
  )
}

/** What a side sends; what the other sends too is folded. */
function useList(
  side: MadeSide,
  other: MadeSide | undefined,
  flipped: ReadonlySet<string>,
  selected: number | undefined,
): List {
  const { answer, runs } = side
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the sides send counts
  return useMemo(() => {
    if (!other || !answer) return { items: [], pinned: [] }
    const figures = { tokens: answer.tokens, reused: answer.prefix?.tokens ?? 0 }
    return toContextItems(answer.sent, figures, { flipped, selected, sameAs: sameAs(side, other) })
  }, [answer, runs, other?.runs, flipped, selected])
}

/** What of a side another answer can be asked with. */
const againOf = (side: Side) => {
  const { window, reserve, policy, effort, system } = toFit(side)
  return { window, reserve, policy, effort, system }
}

/** `B drops 28 messages, adds 21` */
function titleOf(
  a: MadeSide,
  b: MadeSide,
  difference: ReturnType<typeof differenceOf> | undefined,
): string {
  const lettersOf = (isSo: (side: MadeSide) => unknown) =>
    [a, b].filter(isSo).map(({ letter }) => letter)
  const broken = lettersOf(({ error }) => error)
  if (broken.length > 0) return `${broken.join(' and ')} cannot be made`
  if (!difference) return 'Making both sides'
  const over = lettersOf(({ answer }) => answer && answer.over > 0)
  if (over.length > 0)
    return `${over.join(' and ')} would not fit: ${over.length > 1 ? 'these calls' : 'this call'} would be refused or cut`
  const { dropped, added, altered } = difference
  if (dropped > 0)
    return `B drops ${amountOf(dropped, 'message')}, adds ${added === 0 ? 'none' : count(added)}`
  if (added > 0) return `B adds ${amountOf(added, 'message')}, drops none`
  return altered > 0
    ? `B sends ${amountOf(altered, 'message')} in another form`
    : 'A and B send the same'
}

interface WireProps {
  readonly a: MadeSide
  readonly b: MadeSide
  readonly aList: List
  readonly bList: List
  /** Narrow screens have no room for ribbons. */
  readonly hasRibbons: boolean
}

/** The log between the two sides: how far each lets an entry through, with ribbons to its place in either list. */
function Wire({ a, b, aList, bList, hasRibbons }: WireProps) {
  const { entries, point } = useScene()
  const { at } = point
  const scale = useMemo(() => toScale(entries.slice(0, at)), [entries, at])
  const [aRuns, bRuns] = [a.runs, b.runs]
  const toShape = useCallback(
    ({ width }: { readonly width: number }) => {
      const middle = Math.round(width / 2)
      const long = hasRibbons ? Math.min(40, width / 6) : Math.max(8, width / 2 - 6)
      const placeOf = (way: -1 | 1) => ({
        ...{ start: middle + way, long, way },
        ribbon: [middle + way * (long + 4), way < 0 ? 0 : width] as const,
      })
      return {
        sides: [
          { ...placeOf(-1), runs: aRuns, bands: bandsOf(aList.items, aRuns), landing: a.landing },
          { ...placeOf(1), runs: bRuns, bands: bandsOf(bList.items, bRuns), landing: b.landing },
        ],
        spine: middle - 0.75,
        frame: [middle - long - 3, middle + long + 3] as const,
        touched: [middle - long - 8, middle + long + 8] as const,
      }
    },
    [aRuns, bRuns, aList, bList, a.landing, b.landing, hasRibbons],
  )
  return (
    <LogStrip
      className={`slim on-canvas ${styles.wire}`}
      label={`The log as a strip of ${count(scale.entries.length)} entries: at the left what A does with each, at the right B`}
      isLined
      {...{ scale, toShape, hasRibbons }}
    />
  )
}
