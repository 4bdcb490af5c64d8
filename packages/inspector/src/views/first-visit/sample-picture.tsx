import { colourOfPart } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import styles from './sample-picture.module.css'
import { samplePicture } from './sample-picture-data.ts'

const { messages, tokens, reused, sent } = samplePicture

const height = 404
const stripEnd = 56
const windowStart = 244
const windowEnd = 520

/** The sample as it reached the model: the log at the left, the window at the right, and what went where. */
export function SamplePicture() {
  return (
    <figure className={`on-canvas framed ${styles.figure}`}>
      <svg
        viewBox={`-2 -22 ${windowEnd + 4} ${height + 24}`}
        role="img"
        aria-label="Ribbons lead from the log to the window of the model"
      >
        <text x="0" y="-10">
          the log: <tspan>{count(messages)}</tspan> messages
        </text>
        <text x={windowStart} y="-10">
          what the model got: <tspan>{count(tokens)}</tspan> tokens
        </text>
        <rect fill="var(--line-3)" x="-2" y="0" width="2" height={height} />
        <path stroke="var(--omitted)" strokeWidth="0.7" d={omittedBars} />
        {ribbons.map(({ colour, path }) => (
          <path key={path} className={styles.ribbon} data-colour={colour} d={path} />
        ))}
        {bars.map(({ colour, y, height }) => (
          <rect key={y} data-colour={colour} x="0" y={y} width={widthOf(colour)} height={height} />
        ))}
        {boxes.map(({ colour, y, height }) => (
          <rect key={y} data-colour={colour} {...box} y={y} height={height} />
        ))}
        <rect fill="var(--reused)" x={windowStart} y="0" width="4" height={reusedTo} rx="2" />
        <path className={styles.anew} d={`M${windowStart + 2} ${reusedTo + 4}V${height - 36}`} />
      </svg>
      <figcaption className="muted text-12-18">
        The sample at turn 168. <b data-fate="kept">Blue</b> stands word for word,{' '}
        <b data-fate="recalled">orange</b> was brought back because the newest message asks for it,
        grey was not sent. <b>Green</b>: the cached prefix, which costs little.
      </figcaption>
    </figure>
  )
}

const box = { x: windowStart + 8, width: windowEnd - windowStart - 8, rx: 1.5 }

/** The bar of an entry in the strip: where it begins, how high and how wide it is. */
const rowHeight = height / messages
const barHeight = Math.max(1.6, rowHeight)
const top = (entry: number) => (entry - 1) * rowHeight
const widthOf = (colour: string) => (colour === 'recalled' ? stripEnd : stripEnd * 0.72)

/** The boxes of the window, with a gap between them, in proportion to their tokens. */
const gap = 2
const room = height - 36 - gap * (sent.length - 1)
const sum = sent.reduce((all, [, size]) => all + size, 0)
let next = 0
const boxes = sent.map(([part, size, ...entries]) => {
  const box = {
    colour: colourOfPart[part],
    entries,
    y: next,
    height: Math.max(1.5, (size / sum) * room),
  }
  next += box.height + gap
  return box
})

const bars = boxes.flatMap(({ colour, entries }) =>
  entries.map(entry => ({ colour, y: top(entry), height: barHeight })),
)

/** What was not sent, as short bars of uneven length: only that there is much of it can be seen. */
const isSent = new Set(sent.flatMap(([, , ...entries]) => entries))
const omittedBars = Array.from({ length: messages }, (_, at) => at + 1)
  .filter(entry => !isSent.has(entry))
  .map(entry => `M0 ${round(top(entry) + rowHeight / 2)}h${14 + ((entry * 7) % 5)}`)
  .join('')

/** A ribbon leads from an entry in the strip to its share of a box. */
const ribbons = boxes.flatMap(({ colour, entries, y, height }) =>
  entries.map((entry, at) => {
    const share = height / entries.length
    const [left, right] = [top(entry), y + at * share]
    return { colour, path: band(widthOf(colour) + 2, left, left + barHeight, right, right + share) }
  }),
)

function band(start: number, top1: number, bottom1: number, top2: number, bottom2: number): string {
  const end = windowStart - 2
  const middle = (start + end) / 2
  const at = (x: number, y: number) => `${round(x)} ${round(y)}`
  return `M${at(start, top1)}C${at(middle, top1)} ${at(middle, top2)} ${at(end, top2)}V${round(bottom2)}C${at(middle, bottom2)} ${at(middle, bottom1)} ${at(start, bottom1)}Z`
}

function round(value: number) {
  return Math.round(value * 10) / 10
}

/** Where in the window the tokens end that the model server need not read again: what is new stands at the end. */
const reusedTo = endOfReused()

function endOfReused(): number {
  let anew = tokens - reused
  for (let at = sent.length - 1; at >= 0; at--) {
    if (anew <= 0) return boxes[at]!.y + boxes[at]!.height
    anew -= sent[at]![1]
  }
  return 0
}
