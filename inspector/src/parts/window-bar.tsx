import { colourOfPart, nameOfPart, type Part } from './fates.ts'
import { count } from './format.ts'
import { useSize } from './use-size.ts'
import styles from './window-bar.module.css'
import colours from './window-colours.module.css'

/** A stretch of the window in the order of the prompt. */
export interface WindowSegment {
  readonly part: Part
  readonly tokens: number
  /** The entry, where the segment is one. */
  readonly seq?: number | undefined
}

export interface WindowBarProps {
  readonly segments: readonly WindowSegment[]
  readonly window: number
  readonly reserve: number
  readonly margin: number
  /** The tokens from the beginning that need not be read again. */
  readonly reused?: number | undefined
  /** The place of the selection, in tokens from the beginning. */
  readonly caret?: number | undefined
  /** `row` is the small form for lists: no labels. */
  readonly size?: 'full' | 'row'
  /** For people who do not see the bar. */
  readonly label: string
  /** Told where the pointer is, in tokens from the beginning; undefined when it has left. Keys must do the same elsewhere. */
  readonly onPoint?: ((tokens: number | undefined, isPressed: boolean) => void) | undefined
}

/**
 * The window as the model reads it: what was sent in the order of the prompt, then what is free, the margin and the reserve.
 * What is over the window goes past its end.
 */
export function WindowBar(props: WindowBarProps) {
  const { segments, window, reserve, margin, reused, caret, size = 'full', label, onPoint } = props
  const sent = segments.reduce((sum, { tokens }) => sum + tokens, 0)
  const free = Math.max(0, window - reserve - margin - sent)
  const whole = Math.max(window, sent + margin + reserve)
  const share = (tokens: number) => `${(100 * tokens) / whole}%`
  const over = sent + margin + reserve - window
  const [setBar, { width }] = useSize<HTMLDivElement>()
  const tokensAt = (event: React.PointerEvent) =>
    ((event.clientX - event.currentTarget.getBoundingClientRect().left) / Math.max(1, width)) * whole
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
          {labelsOf(segments, { free, margin, reserve }, { whole, width }).map(one => (
            <span
              key={`${one.name} ${one.at}`}
              data-colour={one.colour}
              style={{ left: share(one.at), maxWidth: share(one.room) }}
            >
              {one.name} {one.tokens !== undefined && <b>{count(one.tokens)}</b>}
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
        {caret !== undefined && <span className={styles.caret} style={{ left: share(caret) }} />}
        {over > 0 && <span className={`absolute through ${styles.over}`} style={{ left: share(window) }} />}
      </div>
      <div className={styles.rail}>
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
function joined(segments: readonly WindowSegment[], tokensPerPixel: number): readonly WindowSegment[] {
  const least = 2 * tokensPerPixel
  const found: WindowSegment[] = []
  for (const segment of segments) {
    const last = found.at(-1)
    if (last?.part === segment.part && (last.tokens < least || segment.tokens < least))
      found[found.length - 1] = { part: last.part, tokens: last.tokens + segment.tokens }
    else found.push(segment)
  }
  return found
}

/** Names the stretches of one part that have room for their names; with their tokens, if there is room for these too. */
function labelsOf(
  segments: readonly WindowSegment[],
  rooms: Readonly<Record<'free' | 'margin' | 'reserve', number>>,
  { whole, width }: { readonly whole: number; readonly width: number },
) {
  const stretches: { name: string; colour: string; at: number; tokens: number }[] = []
  let at = 0
  for (const { part, tokens } of segments) {
    const last = stretches.at(-1)
    const name = nameOfPart(part)
    if (last?.name === name) last.tokens += tokens
    else stretches.push({ name, colour: colourOfPart[part], at, tokens })
    at += tokens
  }
  for (const [name, tokens] of Object.entries(rooms)) {
    stretches.push({ name, colour: name, at, tokens })
    at += tokens
  }
  const sizeOf = (text: string) => text.length * 6.2 + 8
  const roomOf = (tokens: number) => (tokens / whole) * width
  const isSmall = ({ tokens }: { readonly tokens: number }) => roomOf(tokens) < 18
  return stretches.flatMap((one, index) => {
    if (isSmall(one)) return []
    // A name may reach over small stretches, which have none.
    const next = stretches.slice(index + 1).find(other => !isSmall(other))?.at ?? whole
    const room = next - one.at
    const isNumbered = roomOf(room) >= sizeOf(`${one.name} ${count(one.tokens)}`)
    const label = { ...one, room, tokens: isNumbered ? one.tokens : undefined }
    return roomOf(room) >= sizeOf(one.name) ? [label] : []
  })
}
