import { useEffect, useRef } from 'react'
import { startDrawing, useColours } from '../../parts/canvas.ts'
import { drawnAs, type Fate, type FateRun, fateAt, fateNames } from '../../parts/fates.ts'
import { useSize } from '../../parts/use-size.ts'
import styles from './chat-strip.module.css'
import type { RowContext } from './use-chat-thread.ts'

interface ChatStripProps {
  readonly chat: RowContext
  readonly sight: readonly [number, number]
  readonly onJump: (seq: number) => void
}

const colours = [...fateNames, 'line-2', 'line-3', 'selected'] as const

/** The largest height of the bar of one entry: a short conversation has a short strip. */
const mostHeight = 5

/** The whole conversation as a column of bars, by what became of each message. It is also the way to any place of it. */
export function ChatStrip({ chat, sight: [first, last], onJump }: ChatStripProps) {
  const { shownHead: head, runs, selected } = chat
  const [setBox, { width, height }, box] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const colour = useColours(colours)
  const extent = Math.min(height, head * mostHeight)
  useEffect(() => {
    const draw =
      canvas.current && width > 0 ? startDrawing(canvas.current, { width, height }) : undefined
    if (!draw || head === 0) return
    const rowHeight = Math.max(2, Math.min(mostHeight, height / head))
    const left = 4
    draw.fillStyle = colour['line-3']
    draw.fillRect(left, 0, 1, extent)
    for (let y = 0; y < extent; y += rowHeight) {
      const [from, to] = [toSeq(y, head, extent), toSeq(y + rowHeight, head, extent)]
      const fate = strongest(runs, from, Math.max(from, to - 1), head)
      draw.fillStyle = fate === 'omitted' ? colour['line-2'] : colour[fate]
      const gap = rowHeight > 3 ? 1 : 0
      draw.fillRect(left + 1, y, (width - left - 5) * drawnAs[fate].reach, rowHeight - gap)
    }
    const mark = (from: number, to: number, least: number) => {
      const top = ((from - 1) / head) * extent
      const size = Math.max(least, ((to - from + 1) / head) * extent)
      return [Math.max(0, Math.min(top, extent - size)), size] as const
    }
    draw.strokeStyle = colour.selected
    draw.lineWidth = 2
    const [top, size] = mark(first, Math.min(last, head), 14)
    draw.beginPath()
    draw.roundRect(1, Math.max(1, top), width - 2, Math.min(size, height - 2), 3)
    draw.stroke()
    if (selected !== undefined) {
      draw.fillStyle = colour.selected
      draw.fillRect(0, mark(selected, selected, 2)[0], width, 2)
    }
  }, [width, height, extent, head, runs, first, last, selected, colour])
  const pick = (event: React.PointerEvent) => {
    const { top } = box!.getBoundingClientRect()
    onJump(toSeq(Math.max(0, Math.min(extent - 1, event.clientY - top)), head, extent))
  }
  return (
    <div
      ref={setBox}
      className={`inset low clipped relative on-panel ${styles.strip}`}
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Place in the conversation"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, head)}
      aria-valuenow={Math.max(1, Math.min(first, head))}
      aria-valuetext={`message ${first} of ${head}`}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        pick(event)
      }}
      onPointerMove={event => event.currentTarget.hasPointerCapture(event.pointerId) && pick(event)}
      onKeyDown={event => {
        const step = steps[event.key]
        if (step === undefined) return
        event.preventDefault()
        onJump(
          Math.max(1, Math.min(head, Number.isFinite(step) ? first + step : step > 0 ? head : 1)),
        )
      }}
    >
      <canvas ref={canvas} />
    </div>
  )
}

const steps: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -20,
  PageDown: 20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

const toSeq = (y: number, head: number, extent: number) =>
  Math.min(head, Math.floor((y / extent) * head) + 1)

/** Looks at only some of many entries: where a row of pixels stands for hundreds, more would change nothing. */
function strongest(runs: readonly FateRun[], from: number, to: number, head: number): Fate {
  let topFate: Fate = 'omitted'
  const step = Math.max(1, Math.floor((to - from) / 64))
  for (let seq = from; seq <= Math.min(to, head); seq += step) {
    // What was written after the last call is sent with the next one.
    const fate =
      fateAt(runs, seq) ?? (runs.length > 0 && seq > (runs.at(-1)?.last ?? 0) ? 'kept' : 'omitted')
    if (drawnAs[fate].layer > drawnAs[topFate].layer) topFate = fate
  }
  return topFate
}
