import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight, FileText } from 'lucide-react'
import { memo, useEffect, useRef } from 'react'
import type { ThreadPlace } from '../../api/queries.ts'
import type { SentRow } from '../../api/timeline.ts'
import type { Place } from '../../parts/address.ts'
import buttons from '../../parts/button.module.css'
import { colourOfPart, type Fate, nameOfPart } from '../../parts/fates.ts'
import { amountOf, count } from '../../parts/format.ts'
import { oneLine, shortRole } from '../../parts/message-text.ts'
import { entryOf, recalledTitle } from '../../parts/sent-rows.ts'
import { useHover, useIsHovered } from '../../parts/use-hover.ts'
import { useRowList } from '../../parts/use-row-list.ts'
import { useTexts } from '../../parts/use-texts.ts'
import styles from './context-list.module.css'
import { type Landing, nowhere } from './landing.ts'
import type { Brief, ContextItem, ContextList as Listed } from './scene.ts'
import { SourceRow } from './source-row.tsx'

export interface ContextListProps {
  readonly place: Place
  readonly thread: ThreadPlace
  readonly entries: readonly Brief[]
  readonly list: Listed
  readonly rows: readonly SentRow[]
  readonly selected: number | undefined
  readonly fateOf: (seq: number) => Fate
  readonly onSelect: (seq: number) => void
  /** Opens or closes a block. */
  readonly onFold: (index: number) => void
  /** Where the rows are now: ribbons end there. */
  readonly landing: Landing
}

/** What the model got, in the order of the prompt, with its parts, and how far it was read before. */
export function ContextList(props: ContextListProps) {
  const { place, thread, entries, list, rows, selected, fateOf, onSelect, onFold, landing } = props
  const { items, pinned } = list
  const foot = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  // Rows that are no entries have no place: none of them is the selected one.
  const quotedAt = items.findIndex(item => item.kind === 'quoted' && item.seq === selected)
  const selectedAt =
    selected === undefined || quotedAt >= 0
      ? quotedAt
      : items.findIndex(item => item.kind === 'row' && item.row.seqs.includes(selected))
  const { rowHeight, virtual, shown } = useRowList(scroller, items.length, selectedAt)
  const wanted = [...shown.map(({ index }) => items[index]!), ...pinned].flatMap(item => {
    if (item.kind === 'quoted') return [item.seq]
    const seq = item.kind === 'row' ? entryOf(item.row) : undefined
    return seq === undefined ? [] : [seq]
  })
  const textOf = useTexts(thread, wanted, entries.length)

  // Ribbons follow the rows: where each entry stands now, seen or not.
  useEffect(() => {
    const element = scroller.current
    const tell = () => {
      const top = element?.scrollTop ?? 0
      const height = element?.clientHeight ?? 0
      const places = new Map<number, readonly [number, number]>()
      for (const [at, item] of items.entries()) {
        const span = [at * rowHeight - top, (at + 1) * rowHeight - top] as const
        if (item.kind === 'row') for (const seq of within(item.row)) places.set(seq, span)
        else if (item.kind === 'quoted') places.set(item.seq, span)
        else if (item.kind === 'block') {
          // The entries of a folded block share its row.
          const each = (rowHeight - 4) / item.entries.length
          for (const [place, seq] of item.isOpen ? [] : item.entries.entries())
            places.set(seq, [span[0] + 2 + place * each, span[0] + 2 + (place + 1) * each])
        }
      }
      let bottom = height
      for (const [at, child] of [...(foot.current?.children ?? [])].entries()) {
        const row = pinned[at]?.row
        const size = (child as HTMLElement).offsetHeight
        for (const seq of row ? within(row) : []) places.set(seq, [bottom, bottom + size])
        bottom += size
      }
      landing.set({ places, height: bottom, inside: height })
    }
    tell()
    element?.addEventListener('scroll', tell, { passive: true })
    const observer = new ResizeObserver(tell)
    if (element) observer.observe(element)
    if (foot.current) observer.observe(foot.current)
    return () => {
      element?.removeEventListener('scroll', tell)
      observer.disconnect()
      landing.set(nowhere)
    }
  }, [items, pinned, rowHeight, landing])

  const lineOf = (item: ContextItem, top: number, isPinned = false) => {
    const style = isPinned ? undefined : { transform: `translateY(${top}px)`, height: rowHeight }
    if (item.kind === 'edge')
      return (
        <div key="edge" className={`row gap-2 ${styles.edge}`} role="presentation" style={style}>
          <span>reused to here</span>
          <i />
          <span className="soft">{amountOf(item.anew, 'token')} read anew</span>
        </div>
      )
    if (item.kind === 'block')
      return <BlockRow key={`block ${item.index}`} item={item} style={style} onFold={onFold} />
    if (item.kind === 'line' || item.kind === 'source')
      return <SourceRow key={item.key} item={item} style={style} />
    const seq = item.kind === 'quoted' ? item.seq : entryOf(item.row)
    // A cleared entry is sent as the line that the row has.
    const sent = item.kind === 'row' ? item.row.text : undefined
    const text = sent ?? (seq === undefined ? '' : textOf(seq)?.text)
    return (
      <MessageRow
        key={item.kind === 'row' ? item.index : `quoted ${seq}`}
        item={item}
        seq={seq}
        role={seq === undefined ? (item.kind === 'row' ? item.row.role : '') : (entries[seq - 1]?.role ?? '')}
        tokens={item.kind === 'row' ? item.row.tokens : (entries[item.seq - 1]?.tokens ?? 0)}
        fate={item.kind === 'quoted' ? item.fate : seq === undefined ? undefined : ownFate(fateOf(seq))}
        text={text}
        isSelected={seq !== undefined && seq === selected}
        isPinned={isPinned}
        style={style}
        onSelect={onSelect}
      />
    )
  }

  return (
    <section className={`grid slim low on-panel ${styles.list}`} aria-label="What the model got">
      <header className={`row gap-2 slim line-below ${styles.header}`}>
        <h2 className="rigid small-heading">What the model got</h2>
        <span className="cut muted text-12 wide-only">
          {rows.length === 0 ? 'being read …' : `${amountOf(rows.length, 'message')}, in this order`}
        </span>
        <Link
          to="/c/$conversation/dump"
          params={{ conversation: place.conversation }}
          search={place.search}
          className={buttons.button}
          data-kind="line"
        >
          <FileText size={14} aria-hidden /> Dump
        </Link>
      </header>
      <div
        ref={scroller}
        className="inset low scrolls-down thin-bar"
        tabIndex={0}
        role="tree"
        aria-label="Messages in the order of the prompt"
        aria-activedescendant={selectedAt >= 0 ? `${items[selectedAt]!.kind}-${selected}` : undefined}
      >
        <div
          className={`relative ${styles.rows}`}
          role="presentation"
          style={{ height: virtual.getTotalSize() }}
        >
          {shown.map(({ index, start }) => lineOf(items[index]!, start))}
        </div>
      </div>
      {pinned.length > 0 && (
        <div ref={foot} className={styles.pinned} role="tree" aria-label="The end of the latest turn">
          {pinned.map(item => lineOf(item, 0, true))}
        </div>
      )}
    </section>
  )
}

/** The entries that stand in a message, themselves or quoted. */
const within = ({ seqs, standsFor }: SentRow): readonly number[] => [...seqs, ...standsFor]

/** The row of an entry that a block has too is the line of a cleared one. */
const ownFate = (fate: Fate): Fate => (fate === 'recalled' ? 'cleared' : fate)

interface BlockRowProps {
  readonly item: Extract<ContextItem, { kind: 'block' }>
  readonly style: React.CSSProperties | undefined
  readonly onFold: (index: number) => void
}

const BlockRow = memo(function BlockRow({ item, style, onFold }: BlockRowProps) {
  const { row, index, isOpen, isReused, entries, asker } = item
  const amount = recalledTitle(entries, row.sources)
  const said =
    row.part === 'recall'
      ? `${amount}${asker === undefined ? '' : `, asked for by #${asker}`}`
      : oneLine(row.text, 160)
  const names =
    isOpen || row.part !== 'recall' || row.sources ? '' : ` · ${entries.map(seq => `#${seq}`).join(' ')}`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens it, by the keys of the view
    <div
      className={styles.row}
      role="treeitem"
      aria-selected={false}
      aria-expanded={isOpen}
      tabIndex={-1}
      data-kind="block"
      data-colour={colourOfPart[row.part]}
      data-reused={isReused}
      data-first="true"
      style={style}
      onClick={() => onFold(index)}
    >
      <span className={styles.part}>{nameOfPart(row.part)}</span>
      <span className={`grid soft ${styles.fold}`} aria-hidden="true">
        {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
      </span>
      <span className={styles.said}>
        {said}
        <span className="muted">{names}</span>
      </span>
      <span className={`muted to-right ${styles.tokens}`}>{count(row.tokens)}</span>
    </div>
  )
})

interface MessageRowProps {
  readonly item: Extract<ContextItem, { kind: 'row' | 'quoted' }>
  readonly seq: number | undefined
  readonly role: string
  readonly tokens: number
  readonly fate: Fate | undefined
  readonly text: string | undefined
  readonly isSelected: boolean
  readonly isPinned: boolean
  readonly style: React.CSSProperties | undefined
  readonly onSelect: (seq: number) => void
}

const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { item, seq, role, tokens, fate, text, isSelected, isPinned, style, onSelect } = props
  const hover = useHover()
  const isHovered = useIsHovered(seq)
  const part = item.kind === 'row' ? item.row.part : undefined
  const isFirst = item.kind === 'row' && item.isFirst
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys of the view move the selection
    <div
      id={seq === undefined ? undefined : `${item.kind}-${seq}`}
      className={styles.row}
      role="treeitem"
      aria-selected={isSelected}
      tabIndex={-1}
      data-kind={item.kind}
      data-fate={fate}
      data-added={seq === undefined}
      data-colour={part && colourOfPart[part]}
      data-reused={item.isReused}
      data-first={isFirst}
      data-hovered={isHovered}
      data-pinned={isPinned}
      style={style}
      onClick={seq === undefined ? undefined : () => onSelect(seq)}
      onPointerEnter={() => hover.set(seq)}
      onPointerLeave={() => hover.set(undefined)}
    >
      <span className={styles.part}>{part && isFirst ? nameOfPart(part) : ''}</span>
      <span className={`muted to-right ${styles.seq}`}>{seq}</span>
      <span className={`muted wide-only ${styles.role}`}>{shortRole(role)}</span>
      <span className={styles.text}>{oneLine(text, isPinned ? 240 : 160)}</span>
      <span className={`muted to-right ${styles.tokens}`}>{count(tokens)}</span>
    </div>
  )
})
