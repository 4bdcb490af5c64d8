import { type RefObject, useLayoutEffect, useState } from 'react'

export type BoardColumns = ReturnType<typeof useColumns>

export const narrowestStep = 52
export const widestStep = 104
/** Columns are drawn in groups, so that scrolling draws anew only now and then. */
const group = 16

/**
 * The columns of the board: one for each step, of equal width, of which only those near the visible part are drawn, from `first`
 * to `last`. Follows the size and the place of a scrolled element. `lead` is the room of the row headers, `narrowest` that of what stands
 * in the columns: where they do not fit together, the element scrolls.
 */
export function useColumns(
  ref: RefObject<HTMLElement | null>,
  count: number,
  lead: number,
  narrowest: number,
) {
  const [seen, setSeen] = useState({ room: 0, left: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const look = () => {
      const room = Math.max(0, element.clientWidth - lead)
      const left = Math.floor(element.scrollLeft / (group * narrowestStep)) * group * narrowestStep
      setSeen(before => (before.room === room && before.left === left ? before : { room, left }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [ref, lead])
  // If not all columns fit, those that do fill the room, so that no column is cut in its middle at the end.
  const fitting = Math.max(1, Math.floor(seen.room / narrowest))
  const width =
    count <= fitting
      ? Math.min(widestStep, Math.max(narrowest, Math.floor(seen.room / Math.max(1, count))))
      : Math.max(narrowest, Math.floor(seen.room / fitting))
  const shown = Math.ceil(seen.room / width) + 2 * group
  const first = Math.max(1, Math.floor(seen.left / width) + 1 - group)
  return { count, width, first, last: Math.min(count, first + shown) }
}
