import { ChevronDown, ChevronRight } from 'lucide-react'
import { useRef } from 'react'
import type { SentRow } from '../../api/timeline.ts'
import { placeOfHit } from '../../parts/address.ts'
import { cacheOf, cacheSource } from '../../parts/cache-share.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { colourOfPart, fateAt, nameOfFate, nameOfPart } from '../../parts/fates.ts'
import { amountOf, count, dateOf } from '../../parts/format.ts'
import { oneLine, shortRole } from '../../parts/message-text.ts'
import { fateInRow, type RecallSource, recalledTitle } from '../../parts/sent-rows.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './context-list.module.css'
import type { Landing } from './log-strip.tsx'
import { Row, RowList } from './row-list.tsx'
import { type ContextItem, type ItemOf, type ContextList as List, useScene } from './scene.ts'
import { fateIn, type MadeSide } from './side.ts'

export interface ContextListProps {
  readonly list: List
  readonly landing: Landing
  /** In a comparison: the side whose messages these are, and the other one. */
  readonly side?: MadeSide
  readonly other?: MadeSide
  /** Whether the end of the list is kept in sight. */
  readonly isFollowed?: boolean
  /** Opens or closes a block or a fold. */
  readonly onFold: (key: string) => void
  /** What stands below the list. */
  readonly children?: React.ReactNode
}

/** What the model got, in the order of the prompt, with its parts, and how far it was read before. */
export function ContextList(props: ContextListProps) {
  const { list, landing, side, isFollowed = false, onFold, children } = props
  const { place, moment, entries, selected, shownPoint } = useScene()
  const cache = cacheOf(shownPoint)
  const { items, pinned } = list
  const amount = side ? side.rows.length : moment.rows.length
  const foot = useRef<HTMLDivElement>(null)
  // Rows without an entry cannot be selected.
  const quotedAt = items.findIndex(item => item.kind === 'quoted' && item.seq === selected)
  const selectedAt =
    selected === undefined || quotedAt >= 0
      ? quotedAt
      : items.findIndex(item => item.kind === 'row' && item.row.seqs.includes(selected))
  const pinnedText = useTexts(
    place.thread,
    pinned.flatMap(({ seq }) => seq ?? []),
    entries.length,
  )
  const name = side ? `What ${side.letter} sends` : 'What the model got'
  return (
    <section
      className={`grid slim low on-panel ${styles.list}`}
      aria-label={name}
      aria-busy={side?.isStale}
      data-letter={side?.letter}
    >
      <header className={`row gap-2 slim line-below ${styles.header}`}>
        <h2 className="rigid small-heading">{name}</h2>
        <span className="cut muted text-12 wide-only">
          {amount > 0
            ? `as ${amountOf(amount, 'message')}, in this order`
            : !side?.error && 'being read …'}
        </span>
      </header>
      <RowList
        className="inset low scrolls-down thin-bar"
        role="tree"
        aria-label={`Messages ${side ? `of ${side.letter} ` : ''}in the order of the prompt`}
        aria-activedescendant={
          selectedAt >= 0 ? idOf(side, items[selectedAt]!.kind, selected) : undefined
        }
        {...{ items, landing, foot }}
        selectedAt={isFollowed ? items.length - 1 : selectedAt}
        rowsClass={styles.rows}
        render={(item, style, text) => {
          switch (item.kind) {
            case 'edge':
              return (
                <div
                  key={item.key}
                  className={`row gap-2 one-line ${styles.edge}`}
                  role="presentation"
                  style={style}
                >
                  <span>{cacheSource(cache.isReported)}, to here</span>
                  <i />
                  <span className="soft">{amountOf(cache.anew, 'new token')}</span>
                </div>
              )
            case 'same':
              return (
                <Row
                  key={item.key}
                  className={`centred soft ${styles.same}`}
                  aria-expanded={item.isOpen}
                  data-reused={item.isReused}
                  style={style}
                  onClick={() => onFold(item.key)}
                >
                  <span>{amountOf(item.many, 'message')}, the same in both</span>
                </Row>
              )
            case 'block':
              return <BlockRow key={item.key} {...{ item, style, onFold }} />
            case 'line':
            case 'source':
              return (
                <Row key={item.key} {...{ ...looksOf(item), style }}>
                  {item.kind === 'line' ? (
                    <span className={`cut ${styles.text}`}>{item.text}</span>
                  ) : (
                    <From {...item.source} />
                  )}
                </Row>
              )
            default:
              return <MessageRow key={item.key} {...{ ...props, item, style, text }} />
          }
        }}
      />
      {pinned.length > 0 && (
        <div
          ref={foot}
          className={styles.pinned}
          role="tree"
          aria-label="The end of the latest turn"
        >
          {pinned.map(item => (
            <MessageRow
              key={item.key}
              {...{ ...props, item }}
              text={item.seq === undefined ? undefined : pinnedText(item.seq)?.text}
            />
          ))}
        </div>
      )}
      {children}
    </section>
  )
}

const idOf = (side: MadeSide | undefined, kind: string, seq: number | undefined) =>
  seq === undefined ? undefined : `${side?.letter ?? ''}${kind}-${seq}`

/** What the rows of all messages share. */
const looksOf = (item: Exclude<ContextItem, { kind: 'edge' | 'same' }>) => ({
  className: styles.row,
  'data-kind': item.kind,
  'data-reused': item.isReused,
  'data-first': item.kind === 'block' || ('isFirst' in item && item.isFirst),
  'data-colour': 'row' in item ? colourOfPart[item.row.part] : undefined,
})

interface BlockRowProps extends Pick<ContextListProps, 'onFold'> {
  readonly item: ItemOf<'block'>
  readonly style: React.CSSProperties
}

function BlockRow({ item, style, onFold }: BlockRowProps) {
  const { lit } = useScene()
  const { row, key, isOpen, asker } = item
  const { part, standsFor, sources } = row
  const title = `${recalledTitle(standsFor, sources)}${asker === undefined ? '' : `, asked for by #${asker}`}`
  const names =
    isOpen || part !== 'recall' || sources ? '' : ` · ${standsFor.map(seq => `#${seq}`).join(' ')}`
  return (
    <Row
      {...{ ...looksOf(item), style }}
      aria-expanded={isOpen}
      data-source={!isOpen && standsFor.some(seq => lit?.has(seq))}
      onClick={() => onFold(key)}
    >
      <Part part={part} />
      <span className={`grid soft ${styles.fold}`} aria-hidden="true">
        {isOpen ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
      </span>
      <span className={`cut soft ${styles.said}`}>
        {part === 'recall'
          ? title
          : part === 'rules'
            ? `said in ${saidIn(row)}`
            : oneLine(row.text, 160)}
        <span className="muted">{names}</span>
      </span>
      <span className={`muted to-right ${styles.tokens}`}>{count(row.tokens)}</span>
    </Row>
  )
}

/** The messages in which the standing rules of a block were said. */
const saidIn = ({ rules = [], standsFor }: SentRow) =>
  [...new Set(rules.length > 0 ? rules.map(({ seq }) => seq) : standsFor)]
    .map(seq => `#${seq}`)
    .join(', ')

const shortNames: Partial<Record<SentRow['part'], string>> = { marker: 'gap note', rules: 'rules' }

/** The name of a part where the part begins. */
const Part = ({ part }: { readonly part: SentRow['part'] | undefined }) => (
  <span className="cut bold coloured" title={part && nameOfPart(part)}>
    {part && (shortNames[part] ?? nameOfPart(part))}
  </span>
)

interface MessageRowProps extends ContextListProps {
  readonly item: Extract<ContextItem, { kind: 'row' | 'quoted' }>
  readonly text: string | undefined
  /** Absent for a pinned row. */
  readonly style?: React.CSSProperties
}

function MessageRow({ side, other, item, text, style }: MessageRowProps) {
  const { runs, entries, lit } = useScene()
  const { kind, seq } = item
  const row = kind === 'row' ? item.row : undefined
  const rule = kind === 'quoted' ? item.rule : undefined
  const entry = seq === undefined ? undefined : entries[seq - 1]
  const rowFate =
    seq === undefined ? undefined : fateInRow(fateAt(side?.runs ?? runs, seq) ?? 'omitted')
  const shownFate = kind === 'quoted' ? item.fate : rowFate
  const there = other && seq !== undefined ? fateIn(other, seq) : undefined
  return (
    <Row
      {...{ ...looksOf(item), seq, style }}
      id={idOf(side, kind, seq)}
      data-fate={shownFate}
      data-only={there === 'omitted'}
      data-added={seq === undefined}
      title={rule && `Standing rule, said in #${seq}: keep it with Pin, remove it with Hide`}
      data-pinned={style === undefined}
      data-source={seq !== undefined && lit?.has(seq)}
    >
      <Part part={kind === 'row' && item.isFirst ? item.row.part : undefined} />
      <span className={`muted to-right ${styles.seq}`}>{seq}</span>
      <span className={`muted wide-only ${styles.role}`}>
        {shortRole(seq === undefined ? (row?.role ?? '') : (entry?.role ?? ''))}
      </span>
      {/* A cleared entry is sent as the line that the row has. */}
      <span className={`cut ${styles.text}`}>
        {oneLine(rule ?? row?.text ?? (seq === undefined ? '' : text), style ? 160 : 240)}
        {/* The row is in both lists: say that the form differs. */}
        {there !== undefined && there !== 'omitted' && there !== shownFate && (
          <b className={`label fate-text ${styles.there}`} data-fate={there}>
            <FateGlyph fate={there} /> {nameOfFate(there)} in {other!.letter}
          </b>
        )}
      </span>
      <span className={`muted to-right ${styles.tokens}`}>
        {rule === undefined && count(row ? row.tokens : (entry?.tokens ?? 0))}
      </span>
    </Row>
  )
}

function From({ conversation, title, actor, branch, seq, time, why, isGone }: RecallSource) {
  const name = `${title?.trim() || conversation} #${seq}`
  return (
    <>
      <span className={`to-right ${styles.day}`}>
        {time === undefined ? 'deleted since' : dateOf(time)}
      </span>
      <span className={`cut ${styles.text}`}>
        {isGone ? (
          name
        ) : (
          <ViewLink
            view="context"
            conversation={conversation}
            search={placeOfHit({ actor, branch, seq })}
          >
            {name}
          </ViewLink>
        )}
        <span className="muted"> · {why}</span>
      </span>
    </>
  )
}
