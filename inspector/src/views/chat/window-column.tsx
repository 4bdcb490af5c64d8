import type { SentRow, TimelinePoint } from '../../api/timeline.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { calibrationText } from '../../parts/calibration.ts'
import { Explained } from '../../parts/explained.tsx'
import { count, percent } from '../../parts/format.ts'
import { toSegments } from '../../parts/sent-rows.ts'
import { useSize } from '../../parts/use-size.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { whyFree } from '../../parts/why-free.ts'
import { toStretches, WindowBar, type WindowSegment, type WindowStretch } from '../../parts/window-bar.tsx'
import colours from '../../parts/window-colours.module.css'
import styles from './window-column.module.css'

export interface WindowColumnProps {
  /** The moment in the address of Context. */
  readonly search: ConversationSearch
  readonly point: TimelinePoint
  readonly rows: readonly SentRow[]
}

/** The window of the last call from its beginning to its end, top to bottom. */
export function WindowColumn({ search, point, rows }: WindowColumnProps) {
  const [setBox, { height }] = useSize<HTMLDivElement>()
  const { window, tokens, reused, margin, reserve, call } = point
  const free = whyFree(point)
  const segments = toSegments(rows, point)
  const blocks = toStretches(segments, point)
  const whole = Math.max(window, tokens + margin + reserve)
  const share = (amount: number) => `${(100 * amount) / whole}%`
  return (
    <aside className={styles.column} aria-label="The window of the last call">
      <h2>
        {call === undefined ? 'Last turn' : 'Last call'}
        <Explained by={calibrationText(point.factor)}>
          <b>{count(tokens)}</b> of {count(window)}
        </Explained>
      </h2>
      <div ref={setBox} className={`low relative ${styles.window}`} role="img" aria-label={labelOf(blocks)}>
        <div className={`${styles.bar} ${colours.areas}`} aria-hidden="true">
          {blocks.map(one => (
            <i
              key={one.at}
              data-colour={one.colour}
              style={{ top: share(one.at), height: share(one.tokens) }}
            />
          ))}
          {segmentLines(segments).map(at => (
            <hr key={at} style={{ top: share(at) }} />
          ))}
        </div>
        <div className={styles.rail} aria-hidden="true">
          <i data-colour="reused" style={{ top: 0, height: share(Math.min(reused, tokens)) }} />
          <i data-colour="anew" style={{ top: share(reused), height: share(Math.max(0, tokens - reused)) }} />
        </div>
        <div className={`${styles.labels} ${colours.names}`} aria-hidden="true">
          {placed(blocks, whole, height).map(({ top, ...one }) => (
            <span key={one.at} data-colour={one.colour} style={{ top }}>
              {one.name} <b>{count(one.tokens)}</b>
            </span>
          ))}
        </div>
      </div>
      <p className={`links ${styles.foot}`}>
        <span className={styles.reused}>
          <b>{percent(tokens === 0 ? 0 : reused / tokens)}</b> reused
        </span>
        , {count(tokens - reused)} read anew
        <br />
        {free !== undefined && (
          <>
            {free}
            <br />
          </>
        )}
        <ViewLink view="context" search={search} className="medium">
          What the model got, and why
        </ViewLink>
      </p>
    </aside>
  )
}

/** The same in a line, for narrow screens. */
export function WindowLine({ search, point, rows }: WindowColumnProps) {
  const { window, tokens, reused, margin, reserve } = point
  return (
    <ViewLink view="context" search={search} className={`block on-canvas line-below ${styles.line}`}>
      <WindowBar
        size="row"
        {...{ window, margin, reserve, reused }}
        segments={toSegments(rows, point)}
        label="The window of the last call"
      />
      <span className={`flex between ${styles.figures}`}>
        <span>
          <b className="clear">{count(tokens)}</b> of {count(window)} tokens
        </span>
        <span className={styles.reused}>{percent(tokens === 0 ? 0 : reused / tokens)} reused</span>
      </span>
    </ViewLink>
  )
}

/** Where one message ends and the next begins. */
function segmentLines(segments: readonly WindowSegment[]): readonly number[] {
  let at = 0
  const places: number[] = []
  for (const { tokens } of segments.slice(0, 400)) {
    if (at > 0) places.push(at)
    at += tokens
  }
  return [...new Set(places)]
}

const lineHeight = 14

/** Labels stand at their blocks without overlapping. Labels without room are left out, small ones first. */
function placed(blocks: readonly WindowStretch[], whole: number, height: number) {
  const worth = blocks.filter(({ tokens, colour }) => colour !== 'meta' && (tokens / whole) * height >= 3)
  const fitting = worth.length * lineHeight <= height ? worth : []
  let free = 0
  const down = fitting.map(one => {
    const top = Math.max(free, (one.at / whole) * height)
    free = top + lineHeight
    return { ...one, top }
  })
  // Labels below the bottom are pushed up again.
  let most = height - lineHeight
  return down
    .toReversed()
    .map(one => {
      const top = Math.min(one.top, most)
      most = top - lineHeight
      return { ...one, top }
    })
    .toReversed()
}

const labelOf = (blocks: readonly WindowStretch[]) =>
  `The window, top to bottom as the model reads it: ${blocks.map(({ name, tokens }) => `${name} ${count(tokens)}`).join(', ')}`
