import { ChevronDown, ChevronRight, FileText } from 'lucide-react'
import { useRef } from 'react'
import { fateAt } from '../../parts/fate-runs.ts'
import { colourOfPart, nameOfPart } from '../../parts/fates.ts'
import { amountOf, count, dateOf } from '../../parts/format.ts'
import { placeOfHit } from '../../parts/hit-place.ts'
import { oneLine, shortRole } from '../../parts/message-text.ts'
import { Row, RowList } from '../../parts/row-list.tsx'
import { fateInRow, type RecallSource, recalledTitle } from '../../parts/sent-rows.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './context-list.module.css'
import type { ContextItem, ItemOf, Scene } from './scene.ts'

export interface ContextListProps {
  readonly scene: Scene
  /** Opens or closes a block. */
  readonly onFold: (index: number) => void
}

/** What the model got, in the order of the prompt, with its parts, and how far it was read before. */
export function ContextList({ scene, onFold }: ContextListProps) {
  const { list, selected, landing } = scene
  const { items, pinned } = list
  const { thread } = scene.place
  const amount = scene.moment.rows.length
  const head = scene.entries.length
  const foot = useRef<HTMLDivElement>(null)
  // Rows without an entry cannot be selected.
  const quotedAt = items.findIndex(item => item.kind === 'quoted' && item.seq === selected)
  const selectedAt =
    selected === undefined || quotedAt >= 0
      ? quotedAt
      : items.findIndex(item => item.kind === 'row' && item.row.seqs.includes(selected))
  const pinnedText = useTexts(
    thread,
    pinned.flatMap(({ seq }) => seq ?? []),
    head,
  )
  return (
    <section className={`grid slim low on-panel ${styles.list}`} aria-label="What the model got">
      <header className={`row gap-2 slim line-below ${styles.header}`}>
        <h2 className="rigid small-heading">What the model got</h2>
        <span className="cut muted text-12 wide-only">
          {amount === 0 ? 'being read …' : `${amountOf(amount, 'message')}, in this order`}
        </span>
        <ViewLink view="dump" isButton>
          <FileText size={14} aria-hidden /> Dump
        </ViewLink>
      </header>
      <RowList
        className="inset low scrolls-down thin-bar"
        role="tree"
        aria-label="Messages in the order of the prompt"
        aria-activedescendant={selectedAt >= 0 ? `${items[selectedAt]!.kind}-${selected}` : undefined}
        {...{ thread, head, items, selectedAt, landing, foot }}
        rows={{ className: styles.rows }}
        render={(item, style, text) => {
          switch (item.kind) {
            case 'edge':
              return (
                <div key={item.key} className={`row gap-2 ${styles.edge}`} role="presentation" style={style}>
                  <span>reused to here</span>
                  <i />
                  <span className="soft">{amountOf(item.anew, 'token')} read anew</span>
                </div>
              )
            case 'block':
              return <BlockRow key={item.key} item={item} style={style} onFold={onFold} />
            case 'line':
            case 'source':
              return (
                <Row
                  key={item.key}
                  className={styles.row}
                  data-kind={item.kind}
                  data-reused={item.isReused}
                  data-first={item.kind === 'source' && item.isFirst}
                  style={style}
                >
                  {item.kind === 'line' ? (
                    <span className={styles.text}>{item.text}</span>
                  ) : (
                    <From {...item.source} />
                  )}
                </Row>
              )
            default:
              return <MessageRow key={item.key} {...{ scene, item, style, text }} />
          }
        }}
      />
      {pinned.length > 0 && (
        <div ref={foot} className={styles.pinned} role="tree" aria-label="The end of the latest turn">
          {pinned.map(item => (
            <MessageRow
              key={item.key}
              {...{ scene, item }}
              text={item.seq === undefined ? undefined : pinnedText(item.seq)?.text}
            />
          ))}
        </div>
      )}
    </section>
  )
}

interface BlockRowProps {
  readonly item: ItemOf<'block'>
  readonly style: React.CSSProperties
  readonly onFold: (index: number) => void
}

function BlockRow({ item, style, onFold }: BlockRowProps) {
  const { row, index, isOpen, isReused, asker } = item
  const { part, standsFor, sources } = row
  const title = `${recalledTitle(standsFor, sources)}${asker === undefined ? '' : `, asked for by #${asker}`}`
  const names =
    isOpen || part !== 'recall' || sources ? '' : ` · ${standsFor.map(seq => `#${seq}`).join(' ')}`
  return (
    <Row
      className={styles.row}
      aria-expanded={isOpen}
      data-kind="block"
      data-colour={colourOfPart[part]}
      data-reused={isReused}
      data-first="true"
      style={style}
      onClick={() => onFold(index)}
    >
      <span className={styles.part}>{nameOfPart(part)}</span>
      <span className={`grid soft ${styles.fold}`} aria-hidden="true">
        {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
      </span>
      <span className={styles.said}>
        {part === 'recall' ? title : oneLine(row.text, 160)}
        <span className="muted">{names}</span>
      </span>
      <span className={`muted to-right ${styles.tokens}`}>{count(row.tokens)}</span>
    </Row>
  )
}

interface MessageRowProps {
  readonly scene: Scene
  readonly item: Extract<ContextItem, { kind: 'row' | 'quoted' }>
  readonly text: string | undefined
  /** Absent for a pinned row. */
  readonly style?: React.CSSProperties
}

function MessageRow({ scene, item, text, style }: MessageRowProps) {
  const { entries, runs, selected, select: onSelect } = scene
  const { kind, seq, isReused } = item
  const row = kind === 'row' ? item.row : undefined
  const isFirst = kind === 'row' && item.isFirst
  const entry = seq === undefined ? undefined : entries[seq - 1]
  const rowFate = seq === undefined ? undefined : fateInRow(fateAt(runs, seq) ?? 'omitted')
  return (
    <Row
      id={seq === undefined ? undefined : `${kind}-${seq}`}
      className={styles.row}
      data-kind={kind}
      data-fate={kind === 'quoted' ? item.fate : rowFate}
      data-added={seq === undefined}
      data-colour={row && colourOfPart[row.part]}
      data-reused={isReused}
      data-first={isFirst}
      data-pinned={style === undefined}
      isSelected={seq !== undefined && seq === selected}
      {...{ seq, onSelect, style }}
    >
      <span className={styles.part}>{row && isFirst ? nameOfPart(row.part) : ''}</span>
      <span className={`muted to-right ${styles.seq}`}>{seq}</span>
      <span className={`muted wide-only ${styles.role}`}>
        {shortRole(seq === undefined ? (row?.role ?? '') : (entry?.role ?? ''))}
      </span>
      {/* A cleared entry is sent as the line that the row has. */}
      <span className={styles.text}>
        {oneLine(row?.text ?? (seq === undefined ? '' : text), style ? 160 : 240)}
      </span>
      <span className={`muted to-right ${styles.tokens}`}>
        {count(row ? row.tokens : (entry?.tokens ?? 0))}
      </span>
    </Row>
  )
}

/** Where a message of another conversation comes from. */
function From({ conversation, title, actor, branch, seq, time, why, isGone }: RecallSource) {
  const name = `${title?.trim() || conversation} #${seq}`
  return (
    <>
      <span className={styles.day}>{time === undefined ? 'deleted since' : dateOf(time)}</span>
      <span className={styles.text}>
        {isGone ? (
          name
        ) : (
          <ViewLink view="context" conversation={conversation} search={placeOfHit({ actor, branch, seq })}>
            {name}
          </ViewLink>
        )}
        <span className="muted"> · {why}</span>
      </span>
    </>
  )
}
