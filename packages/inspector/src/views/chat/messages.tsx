import { useQueries } from '@tanstack/react-query'
import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Scissors } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { blockOf, type ShownBlock, type ShownOptions, shownQuery } from '../../api/chat-queries.ts'
import type { ThreadAddress } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { dayOf, fullTime } from '../../parts/format.ts'
import type { LiveReply } from '../../parts/live-replies.ts'
import { QueryFault } from '../../parts/query-state.tsx'
import { type ChatRow, toChatRows } from './chat-rows.ts'
import { FoldMemory } from './fold.tsx'
import { AskedRow, LiveRow } from './live-row.tsx'
import { MessageRow } from './message-row.tsx'
import styles from './messages.module.css'
import type { RowContext } from './use-chat-thread.ts'

interface MessagesProps {
  readonly chat: RowContext
  readonly mayInspect: boolean
  readonly live: LiveReply | undefined
  readonly model: string
  readonly onSight: (first: number, last: number) => void
  readonly control: React.RefObject<MessagesControl | undefined>
}

export interface MessagesControl {
  readonly jump: (seq: number) => void
  readonly toEnd: () => void
  /** The next message that is shown, `by` 1 or -1; undefined where there is none. */
  readonly next: (seq: number, by: 1 | -1) => number | undefined
}

/** Pixels from the end that still count as the end. */
const nearEnd = 48

/** The conversation. Draws the rows in sight, reads those near. Follows new messages at the end; elsewhere it offers a button. */
export function Messages({ chat, mayInspect, live, model, onSight, control }: MessagesProps) {
  const { thread, shownHead: head, selected, cut } = chat
  const scroller = useRef<HTMLDivElement>(null)
  const inputRows = live?.input === undefined ? 0 : 1
  const amount = head + (live ? inputRows + 1 : 0)
  const [isAtEnd, setAtEnd] = useState(true)
  const isFollowing = useRef(true)
  /** When the reader, not the page, scrolled last. */
  const touchedAt = useRef(Number.NEGATIVE_INFINITY)
  const touch = () => {
    touchedAt.current = performance.now()
  }
  /** The entry that is being brought into sight. */
  const wanted = useRef<number>(undefined)

  const readKeys = useRef<(seq: number) => boolean>(() => false)
  const virtual = useVirtualizer({
    count: amount,
    getScrollElement: () => scroller.current,
    estimateSize: () => 64,
    // A placeholder has another key than its entry, because its height differs.
    getItemKey: useCallback(
      (index: number) => {
        if (index >= head) return index - head < inputRows ? 'asked' : 'live'
        return readKeys.current(index + 1) ? index + 1 : -index - 1
      },
      [head, inputRows],
    ),
    // More than a turn of the wheel: rows are measured before they come into sight, so that nothing jumps.
    overscan: 16,
    paddingStart: 16,
    paddingEnd: 16,
    anchorTo: 'end',
    scrollEndThreshold: nearEnd,
  })
  virtual.shouldAdjustScrollPositionOnItemSizeChange = isAboveSight
  const items = virtual.getVirtualItems()
  const [first, last] = [(items[0]?.index ?? 0) + 1, (items.at(-1)?.index ?? 0) + 1]
  const messages = useMessages(thread, { head, mayInspect }, first, last)
  readKeys.current = messages.isRead

  /** Only scrolling by the reader leaves the end: a growing reply does not. */
  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd
    setAtEnd(isNear)
    // While an entry is brought into sight, the end is only where the page began.
    if (isNear && wanted.current === undefined) isFollowing.current = true
    else if (performance.now() - touchedAt.current < 600) isFollowing.current = false
  }

  const toEnd = useCallback(() => {
    isFollowing.current = true
    virtual.scrollToEnd()
  }, [virtual])
  const total = virtual.getTotalSize()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grows is followed
  useLayoutEffect(() => {
    if (isFollowing.current && amount > 0) virtual.scrollToEnd()
  }, [total, amount, virtual])
  // After sending, the answer is scrolled into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reply begins once
  useLayoutEffect(() => {
    if (live) toEnd()
  }, [live?.startedAt, toEnd])

  /** Brings an entry into sight, again when it has been read: its height was only guessed. */
  const goTo = useCallback(
    (seq: number) => {
      isFollowing.current = false
      wanted.current = seq
      virtual.scrollToIndex(seq - 1, { align: 'center' })
    },
    [virtual],
  )
  control.current = {
    jump: goTo,
    toEnd,
    next(from, by) {
      let seq = from + by
      while (seq >= 1 && seq <= head && messages.isRead(seq) && !messages.row(seq)) seq += by
      return seq >= 1 && seq <= head ? seq : undefined
    },
  }
  const isWantedRead = wanted.current !== undefined && messages.isRead(wanted.current)
  useEffect(() => {
    if (wanted.current === undefined || !isWantedRead) return
    virtual.scrollToIndex(wanted.current - 1, { align: 'center' })
    wanted.current = undefined
  }, [isWantedRead, virtual])
  useEffect(() => {
    if (selected === undefined || selected < 1 || selected > head) return
    const item = scroller.current
      ?.querySelector(`[data-index="${selected - 1}"]`)
      ?.getBoundingClientRect()
    const { top, bottom } = scroller.current!.getBoundingClientRect()
    if (!item?.height || item.bottom <= top + 8 || item.top >= bottom - 8) goTo(selected)
  }, [selected, head, goTo])

  const seenFirst = (virtual.range?.startIndex ?? 0) + 1
  const seenLast = (virtual.range?.endIndex ?? 0) + 1
  useEffect(() => onSight(seenFirst, seenLast), [onSight, seenFirst, seenLast])
  const news = useNews(amount, isAtEnd)

  return (
    <FoldMemory>
      <div className="slim low clipped relative">
        <div
          ref={scroller}
          className={`inset tall scrolls-down thin-bar ${styles.scroller}`}
          {...{
            onScroll,
            onWheel: touch,
            onTouchMove: touch,
            onKeyDown: touch,
            onPointerDown: touch,
          }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
          tabIndex={0}
          role="region"
          aria-label="Messages"
        >
          {messages.error && <QueryFault error={messages.error} onRetry={messages.retry} />}
          <div className={`grid ${styles.whole}`}>
            <div className={`wide relative ${styles.column}`} style={{ height: total }}>
              {items.map(({ index, key, start }) => (
                <div
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  className={`absolute ${styles.item}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {contentOf(index)}
                </div>
              ))}
            </div>
          </div>
        </div>
        {!isAtEnd && (
          <Button className={styles.newest ?? ''} onClick={toEnd}>
            <ArrowDown size={14} aria-hidden />
            {news > 0 || live ? 'New messages' : 'Newest'}
          </Button>
        )}
      </div>
    </FoldMemory>
  )

  function contentOf(index: number): React.ReactNode {
    if (index >= head) {
      if (!live) return null
      return index - head < inputRows ? (
        <AskedRow text={live.input ?? ''} />
      ) : (
        <LiveRow live={live} model={model} />
      )
    }
    const seq = index + 1
    const row = messages.row(seq)
    if (!row)
      return messages.isRead(seq) ? null : <div className={styles.unread} aria-hidden="true" />
    return (
      <>
        <Day row={row} isFirst={seq === 1} />
        {cut?.before === seq && <CutLine about={cut.about} />}
        <MessageRow chat={chat} row={row} isTurnEnd={isTurnEnd(seq)} />
      </>
    )
  }

  function isTurnEnd(seq: number): boolean {
    const end = Math.min(head, chat.turnOf(seq)?.last ?? seq)
    for (let next = seq + 1; next <= end; next++) if (messages.row(next)) return false
    return true
  }
}

/** Whether to adjust the scroll place when a row changes its height: else a row that grew out of sight moves all below it. */
function isAboveSight(
  item: VirtualItem,
  _: number,
  list: Virtualizer<HTMLDivElement, Element>,
): boolean {
  const top = list.scrollOffset ?? 0
  return list.itemSizeCache.has(item.key) ? item.end <= top : item.start < top
}

/** How many messages have come since the reader left the end. */
function useNews(amount: number, isAtEnd: boolean): number {
  const [left, setLeft] = useState(amount)
  if (isAtEnd && left !== amount) setLeft(amount)
  return Math.max(0, amount - left)
}

function Day({
  row: { message, before },
  isFirst,
}: {
  readonly row: ChatRow
  readonly isFirst: boolean
}) {
  const { time } = message
  if (time === undefined || (!isFirst && (before === undefined || dayOf(before) === dayOf(time))))
    return null
  return <p className={`muted label to-middle ${styles.day}`}>{fullTime(time).split(',')[0]}</p>
}

function CutLine({ about }: { readonly about: string }) {
  return (
    <p className={`row gap-2 soft label one-line ${styles.cut}`}>
      <Scissors size={14} aria-hidden />
      The model reads word for word from here
      <span className="ellipsis muted wide-only">{about}</span>
    </p>
  )
}

/** Entries that are read before and after those in sight, so that scrolling shows no gap. */
const ahead = 60

/** The messages in sight, by blocks. `first` and `last` are entries, counted from 1. */
function useMessages(thread: ThreadAddress, options: ShownOptions, first: number, last: number) {
  const { head } = options
  const blocks = useMemo(() => {
    const from = blockOf(Math.max(1, first - ahead))
    const to = blockOf(Math.max(1, Math.min(head, last + ahead)))
    return head === 0 ? [] : Array.from({ length: to - from + 1 }, (_, at) => from + at)
  }, [head, first, last])
  const { data, error, retry } = useQueries({
    queries: blocks.map(block => shownQuery(thread, block, options)),
    combine: results => ({
      data: results.map(result => result.data),
      error: results.find(result => result.error && result.data === undefined)?.error ?? null,
      retry: () => void results.forEach(result => void (result.error && result.refetch())),
    }),
  })
  const rows = useRows(data)
  return {
    /** Undefined for an entry that is not for users, and for one that has not been read. */
    row: (seq: number) => rows.get(seq),
    isRead: (seq: number) => data[blocks.indexOf(blockOf(seq))] !== undefined,
    error,
    retry,
  }
}

/** Computed again only when a block was read or changed. */
function useRows(data: readonly (ShownBlock | undefined)[]): ReadonlyMap<number, ChatRow> {
  const read = data.filter(block => block !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the blocks are compared one by one
  return useMemo(() => toChatRows(read), [read.length, ...padded(read)])
}

/** A list of one length, as dependencies must have; more blocks than these are never in sight. */
const padded = (read: readonly ShownBlock[]) => Array.from({ length: 6 }, (_, at) => read[at])
