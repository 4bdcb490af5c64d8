import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import { isTouch, useMedia } from './use-media.ts'

/** A list of rows of one height, of which only those in sight are in the page. `selected`: its row is brought into sight, -1 for none. */
export function useRowList(
  scroller: React.RefObject<HTMLDivElement | null>,
  amount: number,
  selected: number,
) {
  const rowHeight = useMedia(isTouch) ? 28 : 20
  const virtual = useVirtualizer({
    count: amount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const height = virtual.scrollRect?.height
  // Also when the list becomes shorter: the selection stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (selected >= 0) virtual.scrollToIndex(selected, { align: 'auto' })
  }, [selected, virtual, height])
  return { rowHeight, virtual, shown: virtual.getVirtualItems() }
}
