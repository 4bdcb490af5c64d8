import { useNavigate } from '@tanstack/react-router'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ServerInfo } from '../../api/client.ts'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { linkOf } from '../../parts/address.ts'
import { KeyCap } from '../../parts/key-cap.tsx'
import { useKeys } from '../../parts/keys.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useNow } from '../../parts/use-now.ts'
import { useRoving } from '../../parts/use-roving.ts'
import { ConversationRow } from './conversation-row.tsx'
import styles from './conversation-table.module.css'
import { DeleteDialog, exportConversation } from './row-menu.tsx'

interface ConversationTableProps {
  readonly rows: readonly ListedConversation[]
  readonly scopes: ServerInfo['scopes']
  readonly hasMore: boolean
  /** The last rows are near: more are wanted. */
  readonly onNearEnd: () => void
  readonly empty: React.ReactNode
}

/** More rows are asked for when this number is left below the last one in sight. */
const nearEnd = 30

/** The rows of conversations. Only those that can be seen are drawn; keys move in it as in one list. */
export function ConversationTable({
  rows,
  scopes,
  hasMore,
  onNearEnd,
  empty,
}: ConversationTableProps) {
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const isSlim = useMedia(isNarrow)
  const rowHeight = isSlim ? 84 : 56
  const now = useNow()
  const [deleting, setDeleting] = useState<ListedConversation>()
  const items = rows.map(one => one.conversation)
  const roving = useRoving({
    items,
    name: 'The list',
    item: 'conversation',
    show: index => virtual.scrollToIndex(index, { align: 'auto' }),
  })
  const activeIndex = roving.active === undefined ? -1 : items.indexOf(roving.active)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: index => rows[index]!.conversation,
    overscan: 8,
    scrollPaddingStart: isSlim ? 0 : 28,
    // The row that has the focus stays drawn wherever it moves: else the focus would be lost.
    rangeExtractor: range => withRow(range, activeIndex),
    useFlushSync: false,
  })
  useLayoutEffect(() => {
    if (rowHeight) virtual.measure()
  }, [virtual, rowHeight])
  useAnchor(scroller, items, rowHeight)

  const drawn = virtual.getVirtualItems()
  const last = drawn.filter(({ index }) => index !== activeIndex).at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= rows.length - nearEnd) onNearEnd()
  })

  const active = rows[activeIndex]
  const onActive = (run: (one: ListedConversation) => void) => () => {
    if (active && roving.isFocused()) run(active)
  }
  const open = (view: 'chat' | 'over-time') =>
    onActive(one => void navigate({ ...linkOf(one), to: `/c/$conversation/${view}` }))
  useKeys('The conversation in focus', [
    { keys: 'c', does: 'chat', run: open('chat') },
    { keys: 'o', does: 'over time', run: open('over-time') },
    ...(scopes.includes('inspect')
      ? [{ keys: 'e', does: 'export', run: onActive(exportConversation) }]
      : []),
    ...(scopes.includes('admin')
      ? [{ keys: 'Delete', does: 'delete', run: onActive(setDeleting) }]
      : []),
  ])

  return (
    <>
      <div className="low scrolls" ref={scroller}>
        {rows.length === 0 ? (
          empty
        ) : (
          <div
            role="table"
            aria-label="Conversations"
            aria-rowcount={hasMore ? -1 : rows.length + 1}
          >
            <div role="rowgroup" className={`sticky wide-only ${styles.header}`}>
              {/* biome-ignore lint/a11y/useFocusableInteractive: a row is no control */}
              <div
                role="row"
                aria-rowindex={1}
                className={`grid middle muted label line-below ${styles.columns}`}
              >
                {columns.map(({ name, className }) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: nothing is sorted here
                  <span key={name} role="columnheader" className={className}>
                    {name}
                  </span>
                ))}
              </div>
            </div>
            <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
              {drawn.map(({ index, key, start }) => (
                <ConversationRow
                  key={String(key)}
                  {...{ index, start, now, scopes }}
                  row={rows[index]!}
                  isActive={index === activeIndex}
                  linkRef={roving.ref(rows[index]!.conversation)}
                  onFocus={roving.setActive}
                  onDelete={setDeleting}
                />
              ))}
            </div>
          </div>
        )}
        {rows.length > 0 && (
          <footer className="flex wraps gap-4 padded muted text-12 wide-only">
            {hasMore ? (
              <span role="status">Reading older ones…</span>
            ) : (
              hints.map(({ keys, does }) => (
                <span key={does} className="inline gap-1">
                  {keys.map(one => (
                    <KeyCap key={one} keys={one} />
                  ))}
                  {does}
                </span>
              ))
            )}
          </footer>
        )}
      </div>
      {deleting && (
        <DeleteDialog
          row={deleting}
          onClose={() => setDeleting(undefined)}
          finalFocus={roving.element}
        />
      )}
    </>
  )
}

/** Keeps the rows in sight in place when rows above them change. Not at the very top, where new rows should appear. */
function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  items: readonly string[],
  rowHeight: number,
) {
  const before = useRef<readonly string[]>(items)
  useLayoutEffect(() => {
    const previousItems = before.current
    before.current = items
    const element = scroller.current
    if (!element || previousItems === items || element.scrollTop < rowHeight) return
    const first = Math.floor(element.scrollTop / rowHeight)
    const seen = previousItems.slice(first, first + Math.ceil(element.clientHeight / rowHeight))
    const moves = seen.flatMap((item, at) =>
      items.includes(item) ? items.indexOf(item) - first - at : [],
    )
    // The median: most rows move together, except one that was just written to.
    const move = moves.sort((a, b) => a - b)[Math.floor(moves.length / 2)] ?? 0
    if (move !== 0) element.scrollTop += move * rowHeight
  })
}

const withRow = (range: Range, index: number) =>
  [...new Set([...defaultRangeExtractor(range), index])]
    .filter(at => at >= 0 && at < range.count)
    .sort((a, b) => a - b)

const columns = [
  { name: 'Name, and what was said last', className: styles.name },
  { name: 'Client', className: styles.client },
  { name: 'Messages in the last call', className: styles.fates },
  { name: 'Its window, as the model read it', className: styles.window },
  { name: 'Cached', className: styles.reused },
  { name: 'Turns', className: styles.turns },
  { name: 'Last used', className: styles.used },
]

const hints = [
  { keys: ['j', 'k'], does: 'move' },
  { keys: ['Enter'], does: 'open in context' },
  { keys: ['c'], does: 'chat' },
  { keys: ['w'], does: 'compare' },
  { keys: ['?'], does: 'all keys' },
]
