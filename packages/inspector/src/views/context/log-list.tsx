import { Search, X } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { ThreadAddress } from '../../api/queries.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { KeyCap } from '../../parts/key-cap.tsx'
import { placeIn } from '../../parts/matches-words.ts'
import { oneLine, shortRole } from '../../parts/message-text.ts'
import { allTexts } from '../../parts/use-texts.ts'
import styles from './log-list.module.css'
import { Row, RowList } from './row-list.tsx'
import { type LogItem, useScene } from './scene.ts'

interface LogListProps {
  readonly items: readonly LogItem[]
  /** The place of the selection among the items, or that of the fold that the keys are at. */
  readonly selectedAt: number
  readonly find: TextFind
  readonly onFold: (first: number) => void
  /** Tells which entries are in sight: the strip marks them. */
  readonly onSeen: (seen: readonly [first: number, last: number]) => void
}

/** All entries with their fates. Runs of entries that were not sent are folded. */
export function LogList({ items, selectedAt, find, onFold, onSeen }: LogListProps) {
  const { place, scale, lit } = useScene()
  const { search, go } = place
  const query = search.q ?? ''
  const head = scale.entries.length
  const onFind = (q: string) => {
    const seq = placeIn(q)
    const isThere = seq !== undefined && seq >= 1 && seq <= head
    go({ q: q === '' ? undefined : q, ...(isThere && { entry: seq }) })
  }
  const tellSeen = useCallback(
    (first: LogItem, last: LogItem) => onSeen([first.first, last.first]),
    [onSeen],
  )
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
                {find.matches && `${count(find.matches.size)}${find.isFinding ? '…' : ''}`}
              </span>
              <button type="button" aria-label="Find nothing" onClick={() => onFind('')}>
                <X size={12} aria-hidden />
              </button>
            </>
          )}
        </label>
      </header>
      <RowList
        className={`inset scrolls-down ${styles.scroller}`}
        role="tree"
        aria-label="Entries of the log"
        aria-activedescendant={items[selectedAt]?.key}
        {...{ items, selectedAt, onSeen: tellSeen }}
        after={
          items.length === 0 && <p className={styles.none}>Nothing here has what you look for.</p>
        }
        render={(item, style, text) =>
          item.kind === 'entry' ? (
            <Row
              key={item.key}
              id={item.key}
              className={`listed grid middle ${styles.row}`}
              data-fate={item.fate}
              data-source={lit?.has(item.seq)}
              seq={item.seq}
              style={style}
            >
              <span className={`light muted to-right ${styles.seq}`}>{item.seq}</span>
              <span className={`centred fate ${styles.glyph}`}>
                <FateGlyph fate={item.fate} />
              </span>
              <span className="light muted">
                {shortRole(scale.entries[item.seq - 1]?.role ?? '')}
              </span>
              <span className={`cut ${styles.text}`}>{oneLine(text, 120)}</span>
            </Row>
          ) : (
            <Row
              key={item.key}
              id={item.key}
              className={`listed grid middle muted ${styles.fold}`}
              data-kind={item.kind}
              data-cursor={item === items[selectedAt]}
              aria-expanded={item.kind === 'fold' ? false : undefined}
              onClick={item.kind === 'fold' ? () => onFold(item.first) : undefined}
              style={style}
            >
              <span className={styles.stack} aria-hidden="true" />
              <span>
                {count(item.last - item.first + 1)} {item.kind === 'fold' ? 'not sent' : 'later'}
              </span>
              <span className={styles.tokens}>
                {count(scale.upTo[item.last]! - scale.upTo[item.first - 1]!)}
              </span>
            </Row>
          )
        }
      />
    </section>
  )
}

interface TextFind {
  /** The entries that were found so far; undefined if nothing is looked for. */
  readonly matches: ReadonlySet<number> | undefined
  readonly isFinding: boolean
}

const idle: TextFind = { matches: undefined, isFinding: false }

/** Finds the entries of a thread that have all words, in any order, newest page first; an entry's number finds that entry. */
export function useFind(
  { conversation, actor, branch }: ThreadAddress,
  query: string,
  head: number,
) {
  const [result, setResult] = useState<TextFind>(idle)
  useEffect(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return setResult(idle)
    const place = placeIn(query)
    const named = place !== undefined && place <= head ? [place] : []
    // A bare number may also be looked for in texts.
    if (named.length > 0 && /\D/.test(query.trim()))
      return setResult({ matches: new Set(named), isFinding: false })
    let isWanted = true
    const matches = new Set<number>(named)
    const find = async () => {
      for await (const page of allTexts({ conversation, actor, branch }, head)) {
        if (!isWanted) return
        for (const [seq, { text }] of page) {
          const searched = text.toLowerCase()
          if (words.every(word => searched.includes(word))) matches.add(seq)
        }
        setResult({ matches: new Set(matches), isFinding: true })
      }
      if (isWanted) setResult({ matches, isFinding: false })
    }
    const timer = setTimeout(() => {
      // The server is away, or the key is gone: the page says so elsewhere. What was found is shown as not all.
      find().catch(() => isWanted && setResult({ matches: new Set(matches), isFinding: true }))
    }, 120)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [conversation, actor, branch, query, head])
  return result
}
