import { memo, useEffect, useMemo, useRef } from 'react'
import type { ThreadPlace } from '../../api/queries.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { oneLine } from '../../parts/message-text.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useHover, useIsHovered } from '../../parts/use-hover.ts'
import { useRowList } from '../../parts/use-row-list.ts'
import { useTexts } from '../../parts/use-texts.ts'
import type { SideItem, SideRow } from './difference.ts'
import styles from './side-list.module.css'
import type { Scrolled } from './wire.tsx'

export interface SideListProps {
  readonly thread: ThreadPlace
  readonly letter: 'A' | 'B'
  readonly items: readonly SideItem[]
  readonly head: number
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** Opens or closes a fold. */
  readonly onFold: (key: string) => void
  readonly scrolled: Scrolled
  readonly isStale: boolean
  /** Whether there will be something to show. */
  readonly isMaking: boolean
}

/** What a side sends, in the order of the prompt: what the other sends too is folded. */
export function SideList(props: SideListProps) {
  const { thread, letter, items, head, selected, onSelect, onFold, scrolled, isStale, isMaking } = props
  const scroller = useRef<HTMLDivElement>(null)
  const selectedAt = items.findIndex(
    item => item.kind === 'row' && item.seq !== undefined && item.seq === selected,
  )
  const { rowHeight, virtual, shown } = useRowList(scroller, items.length, selectedAt)
  const [from, to] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? -1]
  const seqs = useMemo(
    () =>
      items
        .slice(from, to + 1)
        .flatMap(item => (item.kind === 'row' && item.seq !== undefined ? [item.seq] : [])),
    [items, from, to],
  )
  const textOf = useTexts(thread, seqs, head)

  const hasItems = items.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the first items comes what scrolls
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const tell = () => scrolled.set({ top: element.scrollTop, height: element.clientHeight, row: rowHeight })
    tell()
    element.addEventListener('scroll', tell, { passive: true })
    const observer = new ResizeObserver(tell)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', tell)
      observer.disconnect()
    }
  }, [rowHeight, scrolled, hasItems])

  const step = (by: number) => {
    for (let at = selectedAt < 0 ? (by > 0 ? 0 : items.length - 1) : selectedAt + by; items[at]; at += by) {
      const item = items[at]!
      if (item.kind === 'row' && item.seq !== undefined) return onSelect(item.seq)
    }
  }
  const other = letter === 'A' ? 'B' : 'A'
  if (items.length === 0)
    return (
      <div className={`inset slim low relative on-panel thin-bar ${styles.list}`} data-letter={letter}>
        {isMaking && <Skeleton rows={12} label={`Making what ${letter} sends`} />}
      </div>
    )
  return (
    <div
      ref={scroller}
      className={`inset slim low relative on-panel thin-bar ${styles.list}`}
      data-letter={letter}
      data-stale={isStale}
      // One stop of the tab key for all rows.
      tabIndex={0}
      role="listbox"
      aria-label={`What ${letter} sends, besides what ${other} sends too`}
      aria-busy={isStale}
      aria-activedescendant={selectedAt >= 0 ? `${letter}-${items[selectedAt]!.key}` : undefined}
      onKeyDown={event => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        step(event.key === 'ArrowDown' ? 1 : -1)
      }}
    >
      <div
        className="relative"
        role="presentation"
        style={{ height: virtual.getTotalSize(), ...seqWidth(head) }}
      >
        {shown.map(({ index, start }) => {
          const item = items[index]
          if (!item) return null
          const shared = { top: start, height: rowHeight }
          if (item.kind === 'fold') return <Fold key={item.key} {...shared} item={item} onFold={onFold} />
          if (item.kind === 'heading') return <Heading key={item.key} {...shared} item={item} />
          return (
            <Row
              key={item.key}
              {...shared}
              item={item}
              letter={letter}
              text={item.text ?? (item.seq === undefined ? '' : textOf(item.seq)?.text)}
              isSelected={item.seq !== undefined && item.seq === selected}
              onSelect={onSelect}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Room for the number of the last entry. */
const seqWidth = (head: number) =>
  ({ '--seq': `${Math.max(36, String(head).length * 8 + 14)}px` }) as React.CSSProperties

interface Placed {
  readonly top: number
  readonly height: number
}

const styleOf = ({ top, height }: Placed) => ({ transform: `translateY(${top}px)`, height })

interface RowProps extends Placed {
  readonly item: SideRow
  readonly letter: 'A' | 'B'
  readonly text: string | undefined
  readonly isSelected: boolean
  readonly onSelect: (seq: number) => void
}

const Row = memo(function Row({ item, letter, text, isSelected, onSelect, ...placed }: RowProps) {
  const { seq, fate, other, tokens, isReused, stands } = item
  const hover = useHover()
  const isHovered = useIsHovered(seq)
  // In another form there: said, since the row is in both lists.
  const isInBoth = other !== undefined && other !== 'elided' && other !== fate
  const target = seq ?? stands[0]
  return (
    <div
      id={seq === undefined ? undefined : `${letter}-${item.key}`}
      className={`grid middle ${styles.row}`}
      role="option"
      aria-selected={isSelected}
      tabIndex={-1}
      data-fate={fate}
      data-only={other === 'elided' || (other === undefined && stands.length > 0)}
      data-hovered={isHovered}
      data-reused={isReused}
      style={styleOf(placed)}
      onClick={target === undefined ? undefined : () => onSelect(target)}
      onKeyDown={undefined}
      onPointerEnter={() => hover.set(target)}
      onPointerLeave={() => hover.set(undefined)}
    >
      <span className={`muted to-right ${styles.seq}`}>{seq}</span>
      <span className="grid fate">
        {(seq !== undefined || stands.length > 0) && <FateGlyph fate={fate} />}
      </span>
      <span className={`cut ${styles.text}`}>{oneLine(text)}</span>
      {isInBoth && (
        <span className={`inline gap-1 label one-line fate-text ${styles.other}`} data-fate={other}>
          <FateGlyph fate={other} /> {other} in {letter === 'A' ? 'B' : 'A'}
        </span>
      )}
      <span className={`muted to-right ${styles.tokens}`}>{count(tokens)}</span>
    </div>
  )
})

interface HeadingProps extends Placed {
  readonly item: Extract<SideItem, { kind: 'heading' }>
}

function Heading({ item, ...placed }: HeadingProps) {
  return (
    <div className={styles.heading} role="presentation" data-reused={item.isReused} style={styleOf(placed)}>
      <span>{item.text}</span>
      <span>{count(item.tokens)}</span>
    </div>
  )
}

interface FoldProps extends Placed {
  readonly item: Extract<SideItem, { kind: 'fold' }>
  readonly onFold: (key: string) => void
}

function Fold({ item, onFold, ...placed }: FoldProps) {
  return (
    <div
      className={`centred soft ${styles.fold}`}
      role="option"
      aria-selected={false}
      tabIndex={-1}
      data-open={item.isOpen}
      data-reused={item.reused}
      style={styleOf(placed)}
      onClick={() => onFold(item.key)}
      onKeyDown={undefined}
    >
      <span>{amountOf(item.many, 'message')}, the same in both</span>
    </div>
  )
}
