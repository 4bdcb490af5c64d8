import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Keeps the rows in sight in place when rows above them change. Not at the very top, where new rows should appear. */
export function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  items: readonly string[],
  rowHeight: number,
): void {
  const before = useRef<readonly string[]>(items)
  useLayoutEffect(() => {
    const previousItems = before.current
    before.current = items
    const element = scroller.current
    if (!element || previousItems === items || element.scrollTop < rowHeight) return
    const first = Math.floor(element.scrollTop / rowHeight)
    const seen = previousItems.slice(first, first + Math.ceil(element.clientHeight / rowHeight))
    const places = new Map(items.map((item, at) => [item, at]))
    const moves = seen.flatMap((item, at) => {
      const place = places.get(item)
      return place === undefined ? [] : [place - (first + at)]
    })
    // The median: most rows move together, except one that was just written to.
    const move = moves.sort((a, b) => a - b)[Math.floor(moves.length / 2)] ?? 0
    if (move !== 0) element.scrollTop += move * rowHeight
  })
}
