import type { ThreadAddress } from '../../api/queries.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { oneLine } from '../../parts/message-text.ts'
import { Row, RowList } from '../../parts/row-list.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import type { SideItem } from './difference.ts'
import styles from './side-list.module.css'
import type { MadeSide } from './use-side.ts'

export interface SideListProps {
  readonly thread: ThreadAddress
  readonly side: MadeSide
  readonly items: readonly SideItem[]
  readonly head: number
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** Opens or closes a fold. */
  readonly onFold: (key: string) => void
  /** Whether there will be something to show. */
  readonly isMaking: boolean
}

/** The messages of a side in the order of the prompt. Messages that both sides send are folded. */
export function SideList(props: SideListProps) {
  const { thread, side, items, head, selected, onSelect, onFold, isMaking } = props
  const { letter, landing, isStale } = side
  const selectedAt = selected === undefined ? -1 : items.findIndex(({ seq }) => seq === selected)
  const step = (by: number) => {
    for (let at = selectedAt < 0 ? (by > 0 ? 0 : items.length - 1) : selectedAt + by; items[at]; at += by) {
      const { seq } = items[at]!
      if (seq !== undefined) return onSelect(seq)
    }
  }
  const other = letter === 'A' ? 'B' : 'A'
  const box = {
    className: `inset slim low relative on-panel thin-bar ${styles.list}`,
    'data-letter': letter,
  }
  if (items.length === 0)
    return <div {...box}>{isMaking && <Skeleton rows={12} label={`Making what ${letter} sends`} />}</div>
  return (
    <RowList
      {...box}
      data-stale={isStale}
      role="listbox"
      aria-label={`What ${letter} sends, besides what ${other} sends too`}
      aria-busy={isStale}
      aria-activedescendant={selectedAt >= 0 ? `${letter}-${items[selectedAt]!.key}` : undefined}
      onKeyDown={event => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        step(event.key === 'ArrowDown' ? 1 : -1)
      }}
      {...{ thread, head, items, selectedAt, landing }}
      rows={{ style: seqWidth(head) }}
      render={(item, style, text) => {
        switch (item.kind) {
          case 'fold':
            return (
              <Row
                key={item.key}
                className={`centred soft ${styles.fold}`}
                role="option"
                data-open={item.isOpen}
                data-reused={item.reused}
                style={style}
                onClick={() => onFold(item.key)}
              >
                <span>{amountOf(item.many, 'message')}, the same in both</span>
              </Row>
            )
          case 'heading':
            return (
              <div
                key={item.key}
                className={styles.heading}
                role="presentation"
                data-reused={item.isReused}
                style={style}
              >
                <span>{item.text}</span>
                <span>{count(item.tokens)}</span>
              </div>
            )
          case 'row': {
            const { seq, entries, fate, other: there } = item
            return (
              <Row
                key={item.key}
                id={seq === undefined ? undefined : `${letter}-${item.key}`}
                className={`grid middle ${styles.row}`}
                role="option"
                data-fate={fate}
                data-only={there === 'omitted' || (there === undefined && entries.length > 0)}
                data-reused={item.isReused}
                seq={entries[0]}
                isSelected={seq !== undefined && seq === selected}
                {...{ onSelect, style }}
              >
                <span className={`muted to-right ${styles.seq}`}>{seq}</span>
                <span className="grid fate">{entries.length > 0 && <FateGlyph fate={fate} />}</span>
                <span className={`cut ${styles.text}`}>{oneLine(item.text ?? text)}</span>
                {/* The row is in both lists: say that the form differs. */}
                {there !== undefined && there !== 'omitted' && there !== fate && (
                  <span className={`inline gap-1 label one-line fate-text ${styles.other}`} data-fate={there}>
                    <FateGlyph fate={there} /> {there} in {other}
                  </span>
                )}
                <span className={`muted to-right ${styles.tokens}`}>{count(item.tokens)}</span>
              </Row>
            )
          }
        }
      }}
    />
  )
}

/** Room for the number of the last entry. */
const seqWidth = (head: number) =>
  ({ '--seq': `${Math.max(36, String(head).length * 8 + 14)}px` }) as React.CSSProperties
