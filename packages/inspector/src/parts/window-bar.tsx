import { colourOfPart, nameOfPart, type Part } from './fates.ts'
import { count } from './format.ts'
import { useSize } from './use-size.ts'
import styles from './window-bar.module.css'
import colours from './window-colours.module.css'

/** A stretch of the window in the order of the prompt. */
export interface WindowSegment {
  readonly part: Part
  readonly tokens: number
}

interface WindowBarProps {
  readonly segments: readonly WindowSegment[]
  /** Absent while it is unknown: the bar is then full. */
  readonly window: number | undefined
  readonly reserve: number
  readonly margin: number
  /** The tokens from the beginning that need not be read again. */
  readonly reused?: number | undefined
  /** The place of the selection, in tokens from the beginning. */
  readonly caret?: number | undefined
  readonly marks?: readonly number[] | undefined
  /** `row` is the small form for lists: no labels. */
  readonly size?: 'full' | 'row'
  readonly label: string
  /** Gets the place of the pointer, in tokens from the beginning; undefined when it has left. Keys must do the same elsewhere. */
  readonly onPoint?: ((tokens: number | undefined, isPressed: boolean) => void) | undefined
}

/** The window as the model reads it: what was sent, what is free, the margin, the reserve. What is over goes past its end. */
export function WindowBar(props: WindowBarProps) {
  const { segments, reserve, margin, reused, caret, marks = [] } = props
  const { size = 'full', label, onPoint } = props
  const sent = segments.reduce((sum, { tokens }) => sum + tokens, 0)
  const { window = sent + reserve + margin } = props
  const free = Math.max(0, window - reserve - margin - sent)
  const whole = Math.max(window, sent + margin + reserve)
  const share = (tokens: number) => `${(100 * tokens) / whole}%`
  const over = sent + margin + reserve - window
  const [setBar, { width }] = useSize<HTMLDivElement>()
  const tokensAt = (event: React.PointerEvent) =>
    ((event.clientX - event.currentTarget.getBoundingClientRect().left) / Math.max(1, width)) *
    whole
  return (
    <div
      ref={setBar}
      className={`slim ${styles.bar}`}
      data-size={size}
      role="img"
      aria-label={label}
      onPointerMove={onPoint && (event => onPoint(tokensAt(event), event.buttons === 1))}
      onPointerDown={onPoint && (event => onPoint(tokensAt(event), true))}
      onPointerLeave={onPoint && (() => onPoint(undefined, false))}
    >
      {size === 'full' && (
        <div className={`${styles.labels} ${colours.names}`} aria-hidden="true">
          {labelsOf(toStretches(segments, { free, margin, reserve }), whole, width).map(one => (
            <span
              key={`${one.name} ${one.at}`}
              className="absolute clipped one-line"
              data-colour={one.colour}
              style={{ left: share(one.at), maxWidth: share(one.room) }}
            >
              {one.name} {one.isNumbered && <b>{count(one.tokens)}</b>}
            </span>
          ))}
        </div>
      )}
      <div className={`${styles.track} ${colours.areas}`}>
        {joined(segments, whole / Math.max(1, width)).map((segment, at) => (
          <i
            // The order of the prompt is what a segment is.
            // biome-ignore lint/suspicious/noArrayIndexKey: segments have no other name
            key={at}
            data-colour={colourOfPart[segment.part]}
            style={{ width: share(segment.tokens) }}
          />
        ))}
        <i data-colour="free" style={{ width: share(free) }} />
        {margin > 0 && <i data-colour="margin" style={{ width: share(margin) }} />}
        {reserve > 0 && <i data-colour="reserve" style={{ width: share(reserve) }} />}
        {marks.map(mark => (
          <span key={mark} className={styles.mark} style={{ left: share(mark) }} />
        ))}
        {caret !== undefined && <span className={styles.caret} style={{ left: share(caret) }} />}
        {over > 0 && (
          <span className={`absolute through ${styles.over}`} style={{ left: share(window) }} />
        )}
      </div>
      <div className={`flex ${styles.rail}`}>
        {reused !== undefined && (
          <>
            <i data-colour="reused" style={{ width: share(Math.min(reused, sent)) }} />
            <i data-colour="anew" style={{ width: share(Math.max(0, sent - reused)) }} />
          </>
        )}
      </div>
    </div>
  )
}

/** A segment needs two pixels to be told from the next one: smaller ones of one part in a row are joined. */
function joined(
  segments: readonly WindowSegment[],
  tokensPerPixel: number,
): readonly WindowSegment[] {
  const least = 2 * tokensPerPixel
  const joinedSegments: WindowSegment[] = []
  for (const segment of segments) {
    const last = joinedSegments.at(-1)
    if (last?.part === segment.part && (last.tokens < least || segment.tokens < least))
      joinedSegments[joinedSegments.length - 1] = {
        part: last.part,
        tokens: last.tokens + segment.tokens,
      }
    else joinedSegments.push(segment)
  }
  return joinedSegments
}

/** The segments of one part in a row, then what is free, then the rest of the window. */
function toStretches(segments: readonly WindowSegment[], rest: Readonly<Record<Rest, number>>) {
  const stretches: { name: string; colour: string; at: number; tokens: number }[] = []
  let at = 0
  const add = (name: string, colour: string, tokens: number) => {
    const last = stretches.at(-1)
    if (last?.name === name) last.tokens += tokens
    else stretches.push({ name, colour, at, tokens })
    at += tokens
  }
  for (const { part, tokens } of segments) add(nameOfPart(part), colourOfPart[part], tokens)
  for (const colour of ['free', 'margin', 'reserve'] as const)
    if (rest[colour] > 0) add(restNames[colour], colour, rest[colour])
  return stretches
}

type Rest = keyof typeof restNames

const restNames = { free: 'free', margin: 'safety margin', reserve: 'kept for the reply' } as const

/** Names the stretches that have room for it, with their tokens if these fit too. `room`: the tokens up to the next. */
function labelsOf(stretches: ReturnType<typeof toStretches>, whole: number, width: number) {
  const sizeOf = (text: string) => text.length * 6.2 + 8
  const roomOf = (tokens: number) => (tokens / whole) * width
  // A name may reach over small stretches, which have none.
  const large = stretches.filter(({ tokens }) => roomOf(tokens) >= 18)
  return large.flatMap((one, index) => {
    const room = (large[index + 1]?.at ?? whole) - one.at
    if (roomOf(room) < sizeOf(one.name)) return []
    return [
      { ...one, room, isNumbered: roomOf(room) >= sizeOf(`${one.name} ${count(one.tokens)}`) },
    ]
  })
}
