import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { EntryLine } from '../../parts/sent-rows.ts'
import { isTouch, useMedia } from '../../parts/use-media.ts'
import { useTexts } from '../../parts/use-texts.ts'
import type { Landing } from './log-strip.tsx'
import { hover, useIsHovered, useScene } from './scene.ts'

type ListItem = Pick<EntryLine, 'key' | 'seq'>

interface RowListProps<Row extends ListItem> extends Omit<React.ComponentProps<'div'>, 'children'> {
  readonly items: readonly Row[]
  /** The row that is brought into sight, -1 for none. */
  readonly selectedAt: number
  /** What a row shows. `text` is that of its entry; undefined while it is being read. */
  readonly render: (
    item: Row,
    style: React.CSSProperties,
    text: string | undefined,
  ) => React.ReactNode
  /** Gets the positions of the rows: ribbons end there. */
  readonly landing?: Landing
  /** Rows below the list that are always in sight. Their lines are counted from one behind the last of the list. */
  readonly foot?: React.RefObject<HTMLDivElement | null>
  /** Gets the rows in sight. */
  readonly onSeen?: (first: Row, last: Row) => void
  /** The class of the box around the rows. */
  readonly rowsClass?: string | undefined
  readonly after?: React.ReactNode
}

/** A list of rows of one height, of which only those in sight are in the page. One stop of the tab key for all. */
export function RowList<Row extends ListItem>(props: RowListProps<Row>) {
  const { items, selectedAt, render, landing, foot, onSeen, rowsClass = '', after, ...box } = props
  const { place, entries } = useScene()
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = useMedia(isTouch) ? 28 : 20
  const amount = items.length
  const virtual = useVirtualizer({
    count: amount,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const shown = virtual.getVirtualItems().filter(({ index }) => index < amount)
  const height = virtual.scrollRect?.height ?? 0
  // Also when the list becomes shorter: the selection stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (selectedAt >= 0) virtual.scrollToIndex(selectedAt, { align: 'auto' })
  }, [selectedAt, virtual, height])
  const textOf = useTexts(
    place.thread,
    shown.flatMap(({ index }) => items[index]!.seq ?? []),
    entries.length,
  )
  const top = virtual.scrollOffset ?? 0
  const firstSeen = items[Math.floor(top / rowHeight)]
  const lastSeen = items[Math.min(amount - 1, Math.floor((top + height) / rowHeight))]
  useEffect(() => {
    if (firstSeen && lastSeen) onSeen?.(firstSeen, lastSeen)
  }, [firstSeen, lastSeen, onSeen])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other items, other rows may stand at the foot
  useEffect(() => {
    const element = scroller.current
    if (!landing || !element) return
    const tell = () => {
      const { scrollTop, clientHeight } = element
      const feet = [...(foot?.current?.children ?? [])].map(
        child => (child as HTMLElement).offsetHeight,
      )
      const heightOf = (many: number) =>
        feet.slice(0, many).reduce((sum, one) => sum + one, clientHeight)
      const end = heightOf(feet.length) + 1
      landing.set(line => {
        if (line <= amount) return Math.min(end, Math.max(-1, line * rowHeight - scrollTop))
        const whole = Math.floor(line - amount - 1)
        return heightOf(whole) + (line - amount - 1 - whole) * (feet[whole] ?? 0)
      })
    }
    tell()
    element.addEventListener('scroll', tell, { passive: true })
    const observer = new ResizeObserver(tell)
    for (const one of [element, foot?.current]) if (one) observer.observe(one)
    return () => {
      element.removeEventListener('scroll', tell)
      observer.disconnect()
      landing.set(undefined)
    }
  }, [items, amount, rowHeight, landing, foot])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: its role is that of a tree or a list box
    <div ref={scroller} tabIndex={0} {...box}>
      <div
        role="presentation"
        className={`relative ${rowsClass}`}
        style={{ height: virtual.getTotalSize() }}
      >
        {shown.map(({ index, start }) => {
          const item = items[index]!
          const text = item.seq === undefined ? undefined : textOf(item.seq)?.text
          return render(item, { transform: `translateY(${start}px)`, height: rowHeight }, text)
        })}
      </div>
      {after}
    </div>
  )
}

interface ListRowProps extends React.ComponentProps<'div'> {
  /** The entry that lights up with it everywhere, and that a click selects. */
  readonly seq?: number | undefined
}

/** A row of such a list. Keys of the view do what a click does. */
export function Row({ seq, ...box }: ListRowProps) {
  const { selected, select } = useScene()
  const isHovered = useIsHovered(seq)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      role="treeitem"
      aria-selected={seq !== undefined && seq === selected}
      tabIndex={-1}
      data-hovered={isHovered}
      onClick={seq === undefined ? undefined : () => select(seq)}
      onPointerEnter={() => hover.set(seq)}
      onPointerLeave={() => hover.set(undefined)}
      {...box}
    />
  )
}
