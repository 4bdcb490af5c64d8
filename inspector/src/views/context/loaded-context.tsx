import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { type Moment, momentQuery, type TimelineData, type TimelinePoint } from '../../api/timeline.ts'
import type { ViewPlace } from '../../parts/address.ts'
import { inModelTokens } from '../../parts/calibration.ts'
import { newLanding } from '../../parts/draw-strip.ts'
import { readFates } from '../../parts/fate-runs.ts'
import { fates } from '../../parts/fates.ts'
import { useKeys } from '../../parts/keys.ts'
import { type Brief, toScale } from '../../parts/log-scale.ts'
import { toStops } from '../../parts/stops.ts'
import { toggled } from '../../parts/toggled.ts'
import { HoverProvider, useNewHover } from '../../parts/use-hover.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { AnswerBar } from './answer-bar.tsx'
import { ContextList } from './context-list.tsx'
import styles from './context-view.module.css'
import { EntryPanel } from './entry-panel.tsx'
import { LogList } from './log-list.tsx'
import { Ribbons } from './ribbons.tsx'
import { type Scene, toContextItems, toLogItems } from './scene.ts'
import { TurnSlider } from './turn-slider.tsx'
import { useFind } from './use-find.ts'

const none: ReadonlySet<number> = new Set()
const nothing: Moment = { rows: [], stretches: [], warnings: [] }

export interface LoadedContextProps {
  readonly place: ViewPlace
  readonly entries: readonly Brief[]
  readonly turns: Parameters<typeof toStops>[0]
  readonly timeline: TimelineData
  readonly point: TimelinePoint
}

/** The log, what the model got of it, and the slider of turns, at one point of the timeline. */
export function LoadedContext({ place, entries: counted, turns, timeline, point }: LoadedContextProps) {
  const { thread, search, go, conversation } = place
  const entries = useMemo(() => inModelTokens(counted, point.factor), [counted, point.factor])
  const navigate = useNavigate()
  const isSlim = useMedia(isNarrow)
  const hover = useNewHover()
  const [landing] = useState(newLanding)
  const [open, setOpen] = useState(none)
  const [flips, setFlips] = useState({ at: 0, blocks: none })
  const [cursor, setCursor] = useState<number>()
  const [isLogShown, setLogShown] = useState(false)
  const [seen, setSeen] = useState<readonly [number, number]>()
  const head = entries.length
  const selected =
    search.entry !== undefined && search.entry >= 1 && search.entry <= head ? search.entry : undefined

  // While the slider is dragged, the parts that need only the timeline are drawn first.
  const wanted = useDeferredValue(point)
  const loaded = useQuery({
    ...momentQuery(thread, wanted),
    placeholderData: (before: Moment | undefined) => before,
  })
  const moment = loaded.data ?? nothing
  // Until the rows of this moment are read, those of the previous one are shown, with its figures.
  const [shownPoint, setShownPoint] = useState(wanted)
  if (loaded.data && !loaded.isPlaceholderData && shownPoint !== wanted) setShownPoint(wanted)

  const scale = useMemo(() => toScale(entries), [entries])
  const runs = useMemo(() => readFates(point.fates ?? ''), [point.fates])
  const stops = useMemo(() => toStops(turns, timeline.points), [turns, timeline.points])
  const find = useFind(thread, search.q ?? '', head)
  const items = useMemo(
    () => toLogItems(runs, { fate: search.fate, matches: find.matches, open, selected, head }),
    [runs, search.fate, find.matches, open, selected, head],
  )
  // Another moment has other blocks: open ones are forgotten.
  const flipped = flips.at === shownPoint.at ? flips.blocks : none
  const list = useMemo(
    () => toContextItems(moment.rows, shownPoint, { flipped, selected }),
    [moment.rows, shownPoint, flipped, selected],
  )

  const select = useCallback(
    (seq: number | undefined) => {
      setCursor(undefined)
      go({ entry: seq })
    },
    [go],
  )
  const scene: Scene = {
    ...{ place, entries, scale, timeline, stops, point, runs, shownPoint, moment, list, landing },
    ...{ selected, select },
  }
  const toggle = useCallback((first: number) => setOpen(before => toggled(before, first)), [])
  const flipBlock = (index: number) => setFlips({ at: shownPoint.at, blocks: toggled(flipped, index) })

  const stopIndex = stops.findIndex(({ turn }) => turn === (search.turn ?? point.turn))
  const toTurn = useCallback(
    (index: number) => {
      const stop = stops[Math.min(stops.length - 1, Math.max(0, index))]
      // Without a turn in the address, the view follows the newest.
      if (stop) go({ turn: stop === stops.at(-1) ? undefined : stop.turn, call: undefined })
    },
    [stops, go],
  )
  const toCall = (by: number) => {
    const { points } = timeline
    const at = points.findIndex(one => one.at === point.at && one.call === point.call)
    const next = points[at + by]
    if (next) go({ turn: next.turn, call: next.call ?? String(next.at) })
  }
  const at = items.findIndex(item =>
    cursor === undefined
      ? item.kind === 'entry' && item.seq === selected
      : item.kind === 'fold' && item.first === cursor,
  )
  const step = (by: number) => {
    const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by]
    if (next?.kind === 'entry') select(next.seq)
    else if (next?.kind === 'fold') setCursor(next.first)
  }
  const stepRecalled = (by: number) => {
    const recalled = runs
      .filter(({ fate }) => fate === 'recalled')
      .flatMap(({ first, last }) => range(first, last))
    const next =
      by > 0
        ? recalled.find(seq => seq > (selected ?? 0))
        : recalled.findLast(seq => seq < (selected ?? head + 1))
    if (next !== undefined) select(next)
  }
  const unfold = () => {
    if (cursor !== undefined) {
      toggle(cursor)
      return select(cursor)
    }
    const fold = runs.find(
      ({ first, last }) => open.has(first) && selected !== undefined && first <= selected && selected <= last,
    )
    if (fold) {
      toggle(fold.first)
      return setCursor(fold.first)
    }
    // A block from other conversations has no entries of this one: it opens with the message that asked for it.
    const block = list.items.find(
      item =>
        item.kind === 'block' &&
        selected !== undefined &&
        (item.row.sources ? [item.asker] : item.row.standsFor).includes(selected),
    )
    if (block?.kind === 'block') flipBlock(block.index)
  }
  const cycleFate = () => {
    const present = fates.filter(({ fate }) => point.counts[fate] > 0).map(({ fate }) => fate)
    const next = search.fate === undefined ? 0 : present.indexOf(search.fate) + 1
    go({ fate: present[next] })
  }
  const clear = () => {
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur()
    if (search.q !== undefined) go({ q: undefined })
    else if (search.fate !== undefined) go({ fate: undefined })
    else if (cursor !== undefined) setCursor(undefined)
    else select(undefined)
  }
  const open_ = (view: 'what-if' | 'dump') =>
    void navigate({ to: `/c/$conversation/${view}`, params: { conversation }, search })
  useKeys('Turns', [
    { keys: 'ArrowLeft', does: 'turn before', run: () => toTurn(stopIndex - 1) },
    { keys: 'ArrowRight', does: 'turn after', run: () => toTurn(stopIndex + 1) },
    { keys: 'Shift+ArrowLeft', does: 'ten turns back', run: () => toTurn(stopIndex - 10) },
    { keys: 'Shift+ArrowRight', does: 'ten turns on', run: () => toTurn(stopIndex + 10) },
    { keys: '[', does: 'call before', run: () => toCall(-1) },
    { keys: ']', does: 'call after', run: () => toCall(1) },
    { keys: 'Home', does: 'first turn', run: () => toTurn(0) },
    { keys: 'End', does: 'last turn', run: () => toTurn(stops.length - 1) },
  ])
  useKeys('Entries', [
    { keys: 'j', does: 'entry after', run: () => step(1) },
    { keys: 'k', does: 'entry before', run: () => step(-1) },
    { keys: 'J', does: 'next that was recalled', run: () => stepRecalled(1) },
    { keys: 'K', does: 'previous that was recalled', run: () => stepRecalled(-1) },
    { keys: 'Enter', does: 'open or close a fold or a block', run: unfold },
    {
      keys: '/',
      does: 'find in the log',
      run: () => document.querySelector<HTMLElement>('[data-find="log"]')?.focus(),
    },
    { keys: 'f', does: 'fates: cycle the filter', run: cycleFate },
    { keys: 'x', does: 'what if, with this entry', run: () => open_('what-if') },
    { keys: 'd', does: 'dump', run: () => open_('dump') },
    { keys: 'Escape', does: 'clear: search, then filter, then selection', run: clear, isEverywhere: true },
  ])

  const logList = <LogList {...{ scene, items, find }} selectedAt={at} onFold={toggle} onSeen={setSeen} />
  return (
    <HoverProvider value={hover}>
      <div className={`grid slim tall clipped ${styles.view}`} data-panel={selected !== undefined}>
        <AnswerBar scene={scene} />
        <div className={`grid low ${styles.scene}`}>
          {!isSlim && logList}
          <Ribbons
            scene={scene}
            seen={isSlim && !isLogShown ? undefined : seen}
            isLogShown={isLogShown}
            onToggleLog={() => setLogShown(!isLogShown)}
          />
          {isSlim && isLogShown ? logList : <ContextList scene={scene} onFold={flipBlock} />}
          {selected !== undefined && <EntryPanel scene={scene} seq={selected} />}
        </div>
        <TurnSlider scene={scene} onTurn={toTurn} onCall={toCall} />
      </div>
    </HoverProvider>
  )
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
