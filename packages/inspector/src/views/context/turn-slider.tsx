import { ChevronLeft, ChevronRight, type LucideIcon, Pause, Play } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { readAll } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { cacheOf } from '../../parts/cache-share.ts'
import { startDrawing, useColours } from '../../parts/canvas.ts'
import { colourOfPart, fateInText, fateNames, partStack } from '../../parts/fates.ts'
import { count, dayTime, percent } from '../../parts/format.ts'
import { axisEvents, type TurnStop, toCallStops, toDays } from '../../parts/stops.ts'
import { useSize } from '../../parts/use-size.ts'
import { useScene } from './scene.ts'
import styles from './turn-slider.module.css'

const colourNames = [...fateNames, 'protected', 'meta-2', 'reused', 'press', 'line-2'] as const

/** All turns of the thread, or the calls of its only turn: what each sent and reused, and the life of the selected entry. */
export function TurnSlider() {
  const { place, stops, point, selected, timeline, isPlaying, toTurn, toCall, togglePlay } =
    useScene()
  const { search, thread } = place
  const [setArea, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = useColours(colourNames)
  // The thumb is where it was put, also while the turn is being read.
  const shownTurn = search.turn ?? point.turn
  const index = Math.max(
    0,
    stops.findIndex(({ turn }) => turn === shownTurn),
  )
  const calls = stops[index]?.points ?? []
  const call = Math.max(0, calls.indexOf(point))
  const isByCall = stops.length === 1 && calls.length > 1
  const lanes = useMemo(() => (isByCall ? toCallStops(stops) : stops), [isByCall, stops])
  const now = isByCall ? call : index
  const pick = (at: number) => (isByCall ? toCall(at - call) : toTurn(at))
  const isSlim = size.height < 56
  useEffect(() => {
    const draw = canvas.current && startDrawing(canvas.current, size)
    if (draw) drawLanes(draw, { stops: lanes, size, colours, selected, isSlim, now })
  }, [lanes, size, colours, selected, isSlim, now])
  const step = stepOf(size.width, lanes.length)
  const days = useMemo(() => toDays(lanes, step * lanes.length), [lanes, step])
  const thumb = Math.max(8, step + 3)
  const thumbLeft = Math.min(size.width - thumb, (now + 0.5) * step - thumb / 2)
  const turnButton = (to: number, label: string, end: string, Icon: LucideIcon) => (
    <Button
      kind="icon"
      aria-label={label}
      why={stops[to] ? undefined : end}
      onClick={() => toTurn(to)}
    >
      <Icon size={16} aria-hidden />
    </Button>
  )
  return (
    <footer className={`grid relative on-panel line-above ${styles.slider}`}>
      <div className={styles.now}>
        <p className={`row one-line ${styles.turn}`}>
          {turnButton(index - 1, 'Turn before', 'This is the first turn.', ChevronLeft)}
          <b className="subheading">{isByCall ? `Call ${count(call + 1)}` : `Turn ${shownTurn}`}</b>
          {turnButton(index + 1, 'Turn after', 'This is the last turn.', ChevronRight)}
          <Button
            kind="icon"
            aria-label={isPlaying ? 'Stop playing' : 'Play the turns'}
            title={isPlaying ? 'Stop playing (p)' : 'Play the turns (p)'}
            why={stops.length < 2 ? 'There is only one turn.' : undefined}
            onClick={togglePlay}
          >
            {isPlaying ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          </Button>
        </p>
        <p className={`muted text-11 one-line ${styles.time}`}>{dayTime(point.time)}</p>
        {calls.length > 1 && (
          <p className={`muted text-11 one-line ${styles.calls}`}>
            <button type="button" aria-label="Call before" onClick={() => toCall(-1)}>
              ‹
            </button>
            call {call + 1} of {calls.length}
            <button type="button" aria-label="Call after" onClick={() => toCall(1)}>
              ›
            </button>
          </p>
        )}
      </div>
      {timeline.isWaiting && (
        <Button kind="line" className={styles.all ?? ''} onClick={() => readAll(thread)}>
          Read all {count(stops.length)} turns
        </Button>
      )}
      <div className={`relative muted to-right wide-only ${styles.names}`} aria-hidden="true">
        <span>tokens</span>
        <span>cached</span>
        <span>{selected === undefined ? '' : `#${selected}`}</span>
      </div>
      <div className="slim">
        <div
          ref={setArea}
          className={`relative ${styles.area}`}
          role="slider"
          tabIndex={0}
          aria-label={isByCall ? 'Call' : 'Turn'}
          aria-valuemin={isByCall ? 1 : (stops[0]?.turn ?? 0)}
          aria-valuemax={isByCall ? calls.length : (stops.at(-1)?.turn ?? 0)}
          aria-valuenow={isByCall ? call + 1 : shownTurn}
          aria-valuetext={`${isByCall ? `Call ${call + 1}` : `Turn ${point.turn}`}, ${dayTime(point.time)}: ${count(point.tokens)} tokens, ${percent(cacheOf(point).share)} cached`}
          aria-busy={!timeline.isWhole}
          {...axisEvents(step, lanes.length, pick)}
        >
          <canvas ref={canvas} />
          <span
            className={`absolute through ${styles.thumb}`}
            style={{ left: thumbLeft, width: thumb }}
          >
            <b>{isByCall ? call + 1 : shownTurn}</b>
          </span>
        </div>
        <div className={`days wide-only ${styles.days}`} aria-hidden="true">
          {days.map(({ at, text }) => (
            <span key={at} style={{ left: at, paddingLeft: besideTag(at, thumbLeft + thumb / 2) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
    </footer>
  )
}

/** The name of a day stands behind the number of the turn, where that would cover it. */
const besideTag = (left: number, tag: number) =>
  tag + tagHalf > left && tag - tagHalf < left + dayWidth ? tag + tagHalf - left + 3 : undefined

const tagHalf = 14
const dayWidth = 64

/** Few turns do not fill the axis. */
const stepOf = (width: number, stops: number) => Math.min(28, width / Math.max(1, stops))

interface Lanes {
  readonly stops: readonly TurnStop[]
  readonly size: { readonly width: number; readonly height: number }
  readonly colours: Readonly<Record<(typeof colourNames)[number], string>>
  readonly selected: number | undefined
  readonly isSlim: boolean
  /** The turn that is shown: later ones fade. */
  readonly now: number
}

function drawLanes(
  draw: CanvasRenderingContext2D,
  { stops, size, colours, selected, isSlim, now }: Lanes,
) {
  const { width, height } = size
  const step = stepOf(width, stops.length)
  const gap = step > 3 ? 1 : 0
  const bottom = isSlim ? height - 14 : height - 24
  const most = stops.reduce(
    (max, { points: [one] }) =>
      Math.max(max, one?.window ? one.window - one.reserve - one.margin : 0),
    1,
  )
  draw.strokeStyle = colours['line-2']
  draw.setLineDash([3, 3])
  draw.stroke(new Path2D(`M0 2.5H${width}`))
  draw.setLineDash([])
  // If turns are narrower than a pixel, the fullest turn of each pixel is drawn.
  let column = -1
  let fullest = 0
  for (const [index, { points }] of stops.entries()) {
    const [point] = points
    draw.globalAlpha = 1
    const left = index * step
    const wide = Math.max(1, step - gap)
    if (!point) {
      draw.fillStyle = colours.press
      draw.fillRect(left, bottom - 4, wide, 4)
      continue
    }
    if (step < 1) {
      const here = Math.floor(left)
      if (here === column && point.tokens <= fullest) continue
      if (here === column) draw.clearRect(here, 0, 1, height)
      column = here
      fullest = point.tokens
    }
    draw.globalAlpha = index > now ? 0.4 : 1
    let y = bottom
    for (const part of partStack) {
      const tokens = point.parts[part] ?? 0
      if (tokens === 0) continue
      const size = (tokens / most) * (bottom - 3)
      const colour = colourOfPart[part]
      draw.fillStyle = colours[colour === 'meta' ? 'meta-2' : colour]
      draw.fillRect(left, y - size, wide, size)
      y -= size
    }
    const high = 9 * cacheOf(point).share
    draw.fillStyle = colours.reused
    draw.fillRect(left, bottom + 12 - high, wide, high)
    if (isSlim || selected === undefined) continue
    const fate = selected <= point.at ? fateInText(point.fates ?? '', selected) : undefined
    if (fate === undefined) continue
    draw.fillStyle = colours[fate]
    if (fate === 'omitted') draw.fillRect(left, height - 5, wide, 2)
    else draw.fillRect(left, height - 8, wide, 8)
  }
  draw.globalAlpha = 1
}
