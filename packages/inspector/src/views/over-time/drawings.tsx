import type { TimelinePoint } from '../../api/timeline.ts'
import { sumCache, sumSource } from '../../parts/cache-share.ts'
import { colourOfPart, partStack } from '../../parts/fates.ts'
import { amountOf, count, percent, short } from '../../parts/format.ts'
import * as plot from '../../parts/plot.ts'
import { ofWindow } from '../../parts/token-words.ts'
import styles from './plot.module.css'
import { type Course, fullest, type PlotColumn, ratioOf } from './use-course.ts'

/** What a plot says in a few words, what is drawn, and the drawing. `foot`: the room for marks below the lowest line. */
interface Drawing {
  readonly answer: string
  readonly about: string
  readonly ticks: readonly plot.Tick[]
  readonly foot?: number
  readonly children: React.ReactNode
}

interface DrawingArea {
  readonly columns: readonly PlotColumn[]
  readonly width: number
  readonly height: number
}

export type Draw = (course: Course, area: DrawingArea) => Drawing

/** What was sent in each turn, by part, and how much room there was. */
export const sentDrawing: Draw = ({ by, steps }, { columns, width, height }) => {
  // Where several steps share a column, the fullest of them is drawn.
  const shown = columns.map(column => ({ ...column, point: fullest(column.points) }))
  const sent = shown.flatMap(({ point }) => point ?? [])
  const most = sent.reduce((max, { tokens }) => Math.max(max, tokens), 0)
  const roomiest = sent.reduce((max, { window }) => Math.max(max, window ?? 0), 1)
  // Far below the window the bars would be too small to be told apart.
  const isFar = most > 0 && roomiest > 4 * most
  const top = isFar ? most * 1.25 : Math.max(roomiest, most)
  const scale = plot.linearScale([0, top], [height, 0])
  const y = (tokens: number) => scale(Math.min(top, tokens))
  const bars = stackBars(shown, y)
  const unknown = shown
    .filter(({ point }) => !point)
    .map(({ left, wide }): plot.Bar => [left, height - 4, wide, 4])
  const rooms = isFar ? [] : toRooms(shown, width).filter(({ point }) => point.window !== undefined)
  const onlyRoom = rooms.length === 1 && width > 400 ? rooms[0]?.point : undefined
  const perColumn = steps.length > columns.length ? ', the fullest of each pixel' : ''
  const marks = (kind: 'isCut' | 'isBroken', draw: (x: number) => string) =>
    columns.map(column => (column[kind] ? draw(column.middle) : '')).join('')
  return {
    answer:
      sent.length === 0
        ? 'Nothing was sent yet'
        : `At most ${count(most)} ${ofWindow(roomiest === 1 ? undefined : roomiest)} were sent`,
    about: `by part, a bar for each ${by}${by === 'turn' ? ': its fullest call' : ''}${perColumn}`,
    ticks: plot.toTicks(top, height / 50, y),
    foot: columns.some(({ isBroken }) => isBroken) ? 24 : 14,
    children: (
      <>
        <pattern
          id="sent-reserve"
          width={6}
          height={6}
          patternUnits="userSpaceOnUse"
          className={styles.reserve}
        >
          <path d="M-1 7 7 -1M-1 1 1 -1M5 7 7 5" />
        </pattern>
        {rooms.map(({ from, to, point }) => (
          <g key={from}>
            <rect
              x={from}
              width={to - from}
              y={y(point.window ?? 0)}
              height={Math.max(0, y(capacityOf(point)) - y(point.window ?? 0))}
              fill="url(#sent-reserve)"
            />
            <path fill="none" stroke="var(--line-3)" d={`M${from} ${y(capacityOf(point))}H${to}`} />
          </g>
        ))}
        <path fill="var(--press)" d={plot.barsPath(unknown)} />
        {partStack.map(part => (
          <path key={part} data-colour={colourOfPart[part]} d={plot.barsPath(bars.get(part)!)} />
        ))}
        {onlyRoom && (
          <text
            className={styles.note}
            x={10}
            y={(y(onlyRoom.window ?? 0) + y(capacityOf(onlyRoom))) / 2 + 4}
          >
            {roomNote(onlyRoom)}
          </text>
        )}
        <path fill="var(--text-2)" d={marks('isCut', x => `M${x - 3} ${height + 9}l3-5 3 5z`)} />
        <path
          className={styles.broken}
          data-mark="broken"
          d={marks('isBroken', x => `M${x - 2.5} ${height + 14}l5 5m0-5l-5 5`)}
        />
      </>
    ),
  }
}

type ShownColumn = PlotColumn & { readonly point: TimelinePoint | undefined }

/** Stacks the parts of each column: a bar begins where the part below it ends. */
function stackBars(columns: readonly ShownColumn[], y: (tokens: number) => number) {
  const stack = new Map(partStack.map(part => [part, [] as plot.Bar[]]))
  for (const { point, left, wide } of columns) {
    let below = 0
    for (const part of partStack) {
      const tokens = point?.parts[part] ?? 0
      if (tokens === 0) continue
      const [bottom, top] = [y(below), y(below + tokens)]
      // A hairline between parts, where there is room for one.
      const size = Math.max(0.4, bottom - top - (bottom - top > 3 ? 0.7 : 0))
      stack.get(part)!.push([left, top, wide, size])
      below += tokens
    }
  }
  return stack
}

/** Columns in a row with the same window, reserve and margin, from one pixel to another. */
function toRooms(columns: readonly ShownColumn[], width: number) {
  const rooms: { from: number; to: number; point: TimelinePoint }[] = []
  const figures = ({ window, reserve, margin }: TimelinePoint) => `${window} ${reserve} ${margin}`
  for (const [at, { point, left }] of columns.entries()) {
    const to = columns[at + 1]?.left ?? width
    const last = rooms.at(-1)
    if (last && (!point || figures(last.point) === figures(point))) last.to = to
    else if (point) rooms.push({ from: last ? left : 0, to, point })
  }
  return rooms
}

const capacityOf = ({ window = 0, reserve, margin }: TimelinePoint) =>
  Math.max(0, window - reserve - margin)

const roomNote = ({ reserve, margin }: TimelinePoint) =>
  [
    reserve > 0 && `kept for the reply ${count(reserve)}`,
    margin > 0 && `safety margin ${count(margin)}`,
  ]
    .filter(Boolean)
    .join(' and ')

/** The share of each prompt that the model server had read before. A cut shows as a dip. */
export const reuseDrawing: Draw = ({ by, cache, cuts }, { columns, height }) => {
  const bars = (isCut: boolean) =>
    columns
      .filter(column => column.isCut === isCut)
      .map(({ left, wide, points }): plot.Bar => {
        const { share } = sumCache(points)
        return [left, height * (1 - share), wide, height * share]
      })
  const moved = cuts === 0 ? '' : `; ▴ history cut, ${amountOf(cuts, 'time')}`
  return {
    answer: `${percent(cache.share)} was ${cache.reported === 0 ? 'a cached prefix (estimate)' : `cached, ${sumSource(cache)}`}`,
    about: `share of what was sent that the model server need not read again, by ${by}${moved}`,
    ticks: ['100 %', '50 %', '0'].map((text, at) => ({ y: (at * height) / 2, text })),
    children: (
      <>
        <path data-colour="reused" d={plot.barsPath(bars(false))} />
        <path data-colour="reused" data-cut="true" d={plot.barsPath(bars(true))} />
      </>
    ),
  }
}

/** What the model server had to read from the beginning to each turn, beside what it would have read with other policies. */
export const readDrawing: Draw = (
  { steps, sums, cache, real, compared, others },
  { columns, width, height },
) => {
  const most =
    [real, compared, ...others].reduce((max, one) => Math.max(max, one.sums.at(-1) ?? 0), 1) * 1.06
  const y = plot.linearScale([0, most], [height, 0])
  const points = ({ sums }: Course['real']) =>
    columns.flatMap(({ last, middle }): plot.PlotPoint[] =>
      sums[last] === undefined ? [] : [[middle, y(sums[last])]],
    )
  const [realPoints, comparedPoints] = [points(real), points(compared)]
  const shared = Math.min(realPoints.length, comparedPoints.length)
  const isLess = (compared.sums.at(-1) ?? 0) >= (real.sums[compared.sums.length - 1] ?? 0)
  const between = [...realPoints.slice(0, shared), ...comparedPoints.slice(0, shared).reverse()]
  const labels = [
    { ...real, kind: 'own' },
    { ...compared, kind: 'compared' },
    ...(width < 500 ? [] : others).map(other => ({ ...other, kind: 'other' })),
  ].flatMap(({ name, sums, kind }) => {
    const total = sums.at(-1)
    if (total === undefined) return []
    // A line that grows says so.
    const text = `${name}: ${short(total)}${sums.length < steps.length ? ' so far' : ''}`
    return [
      { text, kind, x: Math.max(120, (sums.length / steps.length) * width - 8), at: y(total) - 6 },
    ]
  })
  const total = real.sums.at(-1)
  return {
    answer: total === undefined ? 'What had to be read' : `${short(total)} tokens had to be read`,
    about: `${cache.reported === 0 ? '' : 'by our estimate, '}added up over ${amountOf(sums.calls, 'call')}, against what other policies would have cost here`,
    ticks: plot.toTicks(most, height / 34, y),
    children: (
      <>
        {shared > 1 && (
          <path
            fill={`var(--${isLess ? 'reused' : 'danger'}-soft)`}
            d={`${plot.linePath(between)}z`}
          />
        )}
        {others.map(other => (
          <path key={other.name} className={styles.other} d={plot.linePath(points(other))} />
        ))}
        <path className={styles.compared} d={plot.linePath(comparedPoints)} />
        <path className={styles.own} d={plot.linePath(realPoints)} />
        {plot.moveApart(labels, 14, [10, height - 2]).map(({ text, kind, x, at }) => (
          <text key={text} className={styles.label} data-kind={kind} x={x} y={at}>
            {text}
          </text>
        ))}
      </>
    ),
  }
}

/** Our count of the tokens over what the model reported. Below 1 we predicted too little. */
export const accuracyDrawing: Draw = ({ accuracy }, { columns, width, height }) => {
  const { reported, without, lowest, highest } = accuracy
  const low = Math.min(0.9, Math.floor(Math.max(0, lowest) * 10) / 10)
  const high = Math.max(1.1, Math.ceil(Math.min(3, highest) * 10) / 10)
  const scale = plot.linearScale([low, high], [height, 0])
  const y = (ratio: number) => scale(Math.min(high, Math.max(low, ratio)))
  const ratios = columns
    .filter(({ points }) => points.length > 0)
    .map(({ middle, points }) => ({ middle, ratio: ratioOf(points) }))
  const squares = (isWanted: (ratio: number) => boolean) =>
    plot.barsPath(
      ratios.flatMap(({ middle, ratio }): plot.Bar[] =>
        ratio !== undefined && isWanted(ratio) ? [[middle - 1.5, y(ratio) - 1.5, 3, 3]] : [],
      ),
    )
  const silent = ratios
    .filter(({ ratio }) => ratio === undefined)
    .map(({ middle }): plot.Bar => [middle - 1, height, 2, 4])
  const step = high - low > 1 ? 0.5 : high - low > 0.5 ? 0.2 : 0.1
  const ticks = [low, 1, high].filter((ratio, at, all) =>
    all.every((other, before) => before >= at || Math.abs(other - ratio) >= step * 0.8),
  )
  const missing =
    without === 0 ? '' : `; ${amountOf(without, 'call')} without a report, as ticks below`
  return {
    answer: accuracyInWords(accuracy),
    about:
      reported === 0
        ? 'no call of this thread reported how many tokens the model read'
        : `our count over what the model reported${missing}`,
    ticks: reported === 0 ? [] : ticks.map(ratio => ({ y: y(ratio), text: ratio.toFixed(1) })),
    foot: 4,
    children: (
      <>
        {reported > 0 && <path stroke="var(--line-3)" d={`M0 ${y(1) + 0.5}H${width}`} />}
        <path fill="var(--line-2)" d={plot.barsPath(silent)} />
        <path fill="var(--meta)" d={squares(ratio => ratio >= 1)} />
        <path fill="var(--danger)" d={squares(ratio => ratio < 1)} />
      </>
    ),
  }
}

/** `Predicted 19 % too much on average, never too little` */
function accuracyInWords({ reported, mean, lowest }: Course['accuracy']): string {
  if (reported === 0) return 'Nothing was reported'
  const isExact = Math.abs(mean) < 0.005
  const usual = isExact
    ? 'Predicted as reported'
    : `Predicted ${percent(Math.abs(mean))} too ${mean > 0 ? 'much' : 'little'} on average`
  const worst = lowest >= 1 ? 'never too little' : `at worst ${percent(1 - lowest)} too little`
  return isExact && lowest >= 0.995 ? usual : `${usual}, ${worst}`
}
