import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { perBlock, shownQuery } from '../../api/chat-queries.ts'
import type { ThreadPlace } from '../../api/queries.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { amountOf, shortDayOf } from '../../parts/format.ts'
import styles from './brought-back.module.css'
import { daysOf } from './days-of.ts'
import { FoldButton, useFold } from './fold.tsx'
import { readShown } from './read-shown.ts'
import { lineFrom, sharedWords } from './shared-words.ts'

export interface BroughtBackProps {
  readonly thread: ThreadPlace
  readonly search: ConversationSearch
  /** The message that asked for them. */
  readonly seq: number
  readonly question: string
  readonly entries: readonly number[]
  readonly head: number
  /** What stands before it in the same line. */
  readonly before?: React.ReactNode
}

/** What was brought back for a message: how much, from when, and unfolded, what. */
export function BroughtBack(props: BroughtBackProps) {
  const { thread, seq, question, entries, head, before } = props
  const fold = useFold(`${seq} brought back`)
  const shown = useShown(thread, entries, head)
  const days = daysOf(shown.flatMap(({ time }) => (time === undefined ? [] : [time])))
  return (
    <div className={styles.brought}>
      <div className={styles.line}>
        {before}
        <FoldButton
          {...fold}
          kind="recalled"
          icon={<FateGlyph fate="recalled" />}
          label={
            <>
              <b>Brought back {amountOf(entries.length, 'message')}</b>
              {days !== '' && <span> from {days}</span>}
            </>
          }
        />
      </div>
      {fold.isOpen && <Entries {...props} shown={bestFirst(question, shown)} />}
    </div>
  )
}

const few = 3

/** Those with most words of the question first. */
function bestFirst(question: string, shown: readonly Shown[]): readonly Shown[] {
  const ranked = shown.map(one => {
    const { amount, at } = sharedWords(question, one.text)
    return { ...one, amount, text: lineFrom(one.text, at) }
  })
  return ranked.sort((a, b) => b.amount - a.amount || a.seq - b.seq)
}

function Entries({
  thread: { conversation },
  search,
  entries,
  shown,
}: BroughtBackProps & { readonly shown: readonly Shown[] }) {
  const [isWhole, setWhole] = useState(false)
  const listed = shown.slice(0, isWhole ? shown.length : few).sort((a, b) => a.seq - b.seq)
  const more = entries.length - listed.length
  return (
    <ol className={styles.entries}>
      {listed.map(({ seq, time, text }) => (
        <li key={seq}>
          <Link to="/c/$conversation/context" params={{ conversation }} search={{ ...search, entry: seq }}>
            <span className={styles.day}>{time !== undefined && shortDayOf(time)}</span>
            <span className={styles.seq}>#{seq}</span>
            <span className={styles.text} dir="auto">
              {text}
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && !isWhole && (
        <li>
          <button type="button" onClick={() => setWhole(true)}>
            and {more} more
          </button>
        </li>
      )}
    </ol>
  )
}

interface Shown {
  readonly seq: number
  readonly time: number | undefined
  readonly text: string
}

/** The entries as a user may see them, in a line each. One that is not for users, such as a note, is left out. */
function useShown(thread: ThreadPlace, entries: readonly number[], head: number): readonly Shown[] {
  const blocks = [...new Set(entries.map(blockOf))]
  const found = useQueries({
    queries: blocks.map(block => shownQuery(thread, block, { head, mayInspect: true })),
    combine: results => results.map(({ data }) => data),
  })
  return entries.flatMap(seq => {
    const message = found[blocks.indexOf(blockOf(seq))]?.messages.get(seq)
    if (!message) return []
    const { text, time, calls, results } = readShown(message)
    const line =
      text || results.map(result => result.text).join(' ') || calls.map(call => call.name).join(', ')
    return [{ seq, time, text: line }]
  })
}

const blockOf = (seq: number) => Math.floor((seq - 1) / perBlock)
