import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  lazy,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { keepTrying } from '../../api/connection.ts'
import { outlineQuery, turnsQuery } from '../../api/queries.ts'
import { type Moment, momentQuery, pointsQuery, timelineQuery } from '../../api/timeline.ts'
import { type ConversationSearch, usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { fateAt, readFates } from '../../parts/fates.ts'
import { useKeys, walkKeys } from '../../parts/keys.ts'
import { inModelTokens, toScale } from '../../parts/log-scale.ts'
import { EmptyState, QueryFault, Skeleton } from '../../parts/query-state.tsx'
import { findPoint, toStops } from '../../parts/stops.ts'
import { useSources } from './answer.tsx'
import { AnswerBar } from './answer-bar.tsx'
import styles from './context-view.module.css'
import { ReadableContext } from './readable-context.tsx'
import { hover, type Scene, SceneProvider } from './scene.ts'
import { usualOther } from './side.ts'
import { TurnSlider } from './turn-slider.tsx'

/** What of the log reached the model, in which order, and why: at any turn and any call. */
export function ContextView() {
  const place = usePlace()
  const { thread, search, go } = place
  const outline = useQuery(outlineQuery(thread))
  const turns = useQuery(turnsQuery(thread))
  const timeline = useQuery(timelineQuery(thread))
  const loadedPoint = useMemo(
    () => findPoint(timeline.data?.points ?? [], search),
    [timeline.data, search],
  )
  // Turns that are not read yet are requested ten points at a time; the last point stays meanwhile.
  const list = turns.data?.turns ?? []
  const wantedAt = list.findIndex(({ turn }) => turn === search.turn)
  const since = list[wantedAt]?.first ?? 0
  useQuery({
    ...pointsQuery(thread, since),
    enabled: !loadedPoint && wantedAt >= 0 && timeline.data !== undefined && !timeline.data.isWhole,
  })
  const [kept, setKept] = useState(loadedPoint)
  if (loadedPoint && loadedPoint !== kept) setKept(loadedPoint)
  const point = loadedPoint ?? (wantedAt >= 0 ? kept : undefined)
  const isMissing = timeline.data?.isWhole && timeline.data.points.length === 0
  const failed = [outline, timeline, turns].find(({ error, data }) => error && !data)
  if (outline.data && turns.data && point)
    return (
      <LoadedContext
        {...{ place, turns: list, point }}
        entries={outline.data}
        timeline={timeline.data!}
      />
    )
  if (failed) return <QueryFault error={failed.error!} onRetry={() => void failed.refetch()} />
  if (isMissing)
    return (
      <EmptyState title="No model was asked yet">
        What the model is sent is shown here after the first message.
      </EmptyState>
    )
  if (timeline.data && turns.data && (timeline.data.isWhole || wantedAt < 0))
    return (
      <EmptyState
        title={missing(search, wantedAt >= 0)}
        action={
          <Button onClick={() => go({ turn: undefined, call: undefined })}>Show the latest</Button>
        }
      />
    )
  return <Skeleton rows={16} label="Loading the context" />
}

function missing({ turn, call }: ConversationSearch, isTurn: boolean): string {
  if (call !== undefined) return 'There is no such call'
  return isTurn ? `No model was asked in turn ${turn}` : `There is no turn ${turn}`
}

const ComparedContext = lazy(() => keepTrying(() => import('./compared-context.tsx')))
const WhyCard = lazy(() =>
  keepTrying(async () => ({ default: (await import('./why-card.tsx')).WhyCard })),
)
const SentText = lazy(() => keepTrying(() => import('./sent-text.tsx')))

const nothing: Moment = { rows: [], stretches: [] }

interface LoadedContextProps extends Pick<Scene, 'place' | 'entries' | 'timeline' | 'point'> {
  readonly turns: Parameters<typeof toStops>[0]
}

/** What was sent at one point of the timeline in the form of the address, and the slider of turns. */
function LoadedContext({ place, entries: counted, turns, timeline, point }: LoadedContextProps) {
  const { thread, search, go } = place
  const entries = useMemo(() => inModelTokens(counted, point.factor), [counted, point.factor])
  const selected = entries[(search.entry ?? 0) - 1]?.seq

  // While the slider is dragged, the parts that need only the timeline are drawn first.
  const wanted = useDeferredValue(point)
  const loaded = useQuery({ ...momentQuery(thread, wanted), placeholderData: keepPreviousData })
  // Until the rows of this moment are read, those of the previous one are shown, with its figures.
  const [shownPoint, setShownPoint] = useState(wanted)
  if (loaded.data && !loaded.isPlaceholderData && shownPoint !== wanted) setShownPoint(wanted)

  const scale = useMemo(() => toScale(entries), [entries])
  const runs = useMemo(() => readFates(point.fates ?? ''), [point.fates])
  const stops = useMemo(() => toStops(turns, timeline.points), [turns, timeline.points])
  const select = useCallback((seq: number | undefined) => go({ entry: seq }), [go])

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
  const isShown = shownPoint === point && stops[stopIndex]?.turn === point.turn
  const play = usePlay(stopIndex, stops.length - 1, isShown, toTurn)
  const bare = {
    ...{ place, entries, scale, timeline, stops, point, runs, shownPoint },
    ...{ moment: loaded.data ?? nothing, selected, select, toTurn, toCall, ...play },
  }
  const isSent = (seq: number) => ['kept', 'altered', 'recalled'].includes(fateAt(runs, seq) ?? '')
  const sources = useSources(bare)
  const lit = useMemo(() => new Set(sources.flatMap(({ seqs }) => seqs)), [sources])
  // A comparison has no answer that could say why messages are lit.
  const isLit = search.said !== undefined && search.b === undefined
  const scene: Scene = { ...bare, sources, lit: isLit ? lit : undefined }
  useEffect(() => () => hover.set(undefined), [])
  // The other forms open also when the server is away by then.
  useEffect(() => {
    void import('./sent-text.tsx').catch(() => {})
    void import('./compared-context.tsx').catch(() => {})
  }, [])
  useKeys('Turns', [
    ...walkKeys('turn', stopIndex, toTurn),
    { keys: '[', does: 'call before', run: () => toCall(-1) },
    { keys: ']', does: 'call after', run: () => toCall(1) },
    { keys: 'Home', does: 'first turn', run: () => toTurn(0) },
    { keys: 'End', does: 'last turn', run: () => toTurn(stops.length - 1) },
    { keys: 'p', does: 'play the turns, or stop', run: play.togglePlay },
    ...(play.isPlaying ? [{ keys: 'Escape', does: 'stop playing', run: play.togglePlay }] : []),
  ])
  useKeys('What was sent', [
    {
      keys: 'r',
      does: 'as the request',
      run: () => go({ as: 'request', b: undefined }, { push: true }),
    },
    { keys: 'd', does: 'as text', run: () => go({ as: 'text', b: undefined }, { push: true }) },
    {
      keys: 'x',
      does: 'compare with another window or policy',
      run: () => go({ as: undefined, b: search.b ?? usualOther(point) }, { push: true }),
    },
    {
      keys: 'w',
      does: 'why the answer forgot: the message that is selected and was not sent, or the one it needed',
      run: () => go({ card: selected && !isSent(selected) ? selected : 0 }, { push: true }),
    },
  ])
  return (
    <SceneProvider value={scene}>
      <div className={`grid slim tall clipped ${styles.view}`} data-playing={play.isPlaying}>
        {search.b !== undefined ? (
          <Suspense fallback={<Skeleton rows={16} label="Loading the comparison" />}>
            <ComparedContext />
          </Suspense>
        ) : (
          <>
            <AnswerBar />
            {search.as === undefined ? (
              <ReadableContext />
            ) : (
              <Suspense fallback={<Skeleton rows={16} label="Loading what was sent" />}>
                <SentText key={search.as} />
              </Suspense>
            )}
          </>
        )}
        <TurnSlider />
        {search.card !== undefined && (
          <Suspense fallback={null}>
            <WhyCard />
          </Suspense>
        )}
      </div>
    </SceneProvider>
  )
}

/** Long enough to see what came and what went. */
const msPerTurn = 700

/** Steps through the turns up to the last one; from the last it begins anew. A turn waits until the one before is on screen. */
function usePlay(index: number, last: number, isShown: boolean, toTurn: Scene['toTurn']) {
  const [isOn, setOn] = useState(false)
  const isPlaying = isOn && index < last
  // Where it begins anew, it is at the last turn for a moment: only one that was on its way has arrived.
  const wasPlaying = useRef(false)
  useEffect(() => {
    if (wasPlaying.current && !isPlaying) setOn(false)
    wasPlaying.current = isPlaying
    if (!isPlaying || !isShown) return
    const timer = setTimeout(() => toTurn(index + 1), msPerTurn)
    return () => clearTimeout(timer)
  }, [isPlaying, isShown, index, toTurn])
  const togglePlay = () => {
    if (!isPlaying && index >= last) toTurn(0)
    setOn(!isPlaying)
  }
  return { isPlaying, togglePlay }
}
