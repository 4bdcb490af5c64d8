import { Search, X } from 'lucide-react'
import { memo, useEffect, useRef } from 'react'
import type { ThreadPlace } from '../../api/queries.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { KeyCap } from '../../parts/key-cap.tsx'
import type { LogScale } from '../../parts/log-scale.ts'
import { oneLine, shortRole } from '../../parts/message-text.ts'
import { useHover, useIsHovered } from '../../parts/use-hover.ts'
import { useRowList } from '../../parts/use-row-list.ts'
import { type EntryText, useTexts } from '../../parts/use-texts.ts'
import styles from './log-list.module.css'
import type { LogItem } from './scene.ts'

export interface LogListProps {
  readonly thread: ThreadPlace
  readonly scale: LogScale
  readonly items: readonly LogItem[]
  readonly selected: number | undefined
  /** The first entry of the fold that the keys are at. */
  readonly cursor: number | undefined
  readonly query: string
  /** How many were found, while something is looked for. */
  readonly found: number | undefined
  readonly isFinding: boolean
  readonly onFind: (query: string) => void
  readonly onSelect: (seq: number) => void
  /** Opens or closes a fold. */
  readonly onFold: (first: number) => void
  /** Tells which entries are in sight: the strip marks them. */
  readonly onScroll: (first: number, last: number) => void
}

/** All entries with their fates. Runs of entries that were not sent are folded. */
export function LogList(props: LogListProps) {
  const {
    thread,
    scale,
    items,
    selected,
    cursor,
    query,
    found,
    isFinding,
    onFind,
    onSelect,
    onFold,
    onScroll,
  } = props
  const head = scale.entries.length
  const scroller = useRef<HTMLDivElement>(null)
  const selectedAt = items.findIndex(item =>
    cursor === undefined
      ? item.kind === 'entry' && item.seq === selected
      : item.kind === 'fold' && item.first === cursor,
  )
  const { rowHeight, virtual, shown } = useRowList(scroller, items.length, selectedAt)
  const seqs = shown.flatMap(({ index }) => {
    const item = items[index]
    return item?.kind === 'entry' ? [item.seq] : []
  })
  const textOf = useTexts(thread, seqs, head)

  const top = virtual.scrollOffset ?? 0
  const firstSeen = items[Math.floor(top / rowHeight)]
  const lastSeen =
    items[Math.min(items.length - 1, Math.floor((top + (scroller.current?.clientHeight ?? 0)) / rowHeight))]
  const [from, to] = [firstSeen && placeOf(firstSeen), lastSeen && placeOf(lastSeen)]
  useEffect(() => {
    if (from !== undefined && to !== undefined) onScroll(from, to)
  }, [from, to, onScroll])

  return (
    <section className={`grid slim low on-canvas ${styles.list}`} aria-label="The log">
      <header className={`row gap-3 line-below ${styles.header}`}>
        <h2 className="rigid small-heading">The log</h2>
        <label className={styles.find}>
          <Search size={14} aria-hidden />
          <input
            className="text-12"
            type="search"
            data-find="log"
            value={query}
            placeholder={`Find in ${amountOf(head, 'message')}`}
            aria-label={`Find in ${amountOf(head, 'message')}`}
            onChange={event => onFind(event.target.value)}
          />
          {query === '' ? (
            <span className="flex wide-only">
              <KeyCap keys="/" />
            </span>
          ) : (
            <>
              <span className="label" role="status">
                {found === undefined ? '' : `${count(found)}${isFinding ? '…' : ''}`}
              </span>
              <button type="button" aria-label="Find nothing" onClick={() => onFind('')}>
                <X size={12} aria-hidden />
              </button>
            </>
          )}
        </label>
      </header>
      <div
        ref={scroller}
        className={`inset scrolls-down ${styles.scroller}`}
        // One stop of the tab key for all rows.
        tabIndex={0}
        role="tree"
        aria-label="Entries of the log"
        aria-activedescendant={
          selectedAt < 0 ? undefined : cursor === undefined ? `log-${selected}` : `fold-${cursor}`
        }
      >
        <div className="relative" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const item = items[index]!
            const style = { transform: `translateY(${start}px)`, height: rowHeight }
            if (item.kind === 'entry')
              return (
                <EntryRow
                  key={item.seq}
                  top={start}
                  height={rowHeight}
                  item={item}
                  role={scale.entries[item.seq - 1]?.role ?? ''}
                  text={textOf(item.seq)}
                  isSelected={item.seq === selected}
                  onSelect={onSelect}
                />
              )
            const tokens = scale.upTo[item.last]! - scale.upTo[item.first - 1]!
            const many = item.last - item.first + 1
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens it, by the keys of the view
              <div
                key={`fold ${item.first}`}
                id={`fold-${item.first}`}
                className={`listed grid middle ${styles.fold}`}
                data-cursor={item.first === cursor}
                role="treeitem"
                aria-selected={false}
                aria-expanded={item.kind === 'fold' ? false : undefined}
                tabIndex={-1}
                style={style}
                onClick={item.kind === 'fold' ? () => onFold(item.first) : undefined}
                data-kind={item.kind}
              >
                <span className={styles.stack} aria-hidden="true" />
                <span>{item.kind === 'fold' ? `${count(many)} not sent` : `${count(many)} later`}</span>
                <span className={styles.tokens}>{count(tokens)}</span>
              </div>
            )
          })}
        </div>
        {items.length === 0 && <p className={styles.none}>Nothing here has what you look for.</p>}
      </div>
    </section>
  )
}

const placeOf = (item: LogItem): number => (item.kind === 'entry' ? item.seq : item.first)

interface EntryRowProps {
  readonly top: number
  readonly height: number
  readonly item: Extract<LogItem, { kind: 'entry' }>
  readonly role: string
  readonly text: EntryText | undefined
  readonly isSelected: boolean
  readonly onSelect: (seq: number) => void
}

const EntryRow = memo(function EntryRow({
  top,
  height,
  item,
  role,
  text,
  isSelected,
  onSelect,
}: EntryRowProps) {
  const { seq, fate } = item
  const hover = useHover()
  const isHovered = useIsHovered(seq)
  return (
    // Keys of the whole list move the selection.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      id={`log-${seq}`}
      className={`listed grid middle ${styles.row}`}
      role="treeitem"
      aria-selected={isSelected}
      tabIndex={-1}
      data-fate={fate}
      data-hovered={isHovered}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={() => onSelect(seq)}
      onPointerEnter={() => hover.set(seq)}
      onPointerLeave={() => hover.set(undefined)}
    >
      <span className={`muted to-right ${styles.seq}`}>{seq}</span>
      <span className={`centred fate ${styles.glyph}`}>
        <FateGlyph fate={fate} />
      </span>
      <span className={styles.role}>{shortRole(role)}</span>
      <span className={`cut ${styles.text}`}>{oneLine(text?.text, 120)}</span>
    </div>
  )
})
