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
import { Fold } from './fold.tsx'
import { readShown } from './read-shown.ts'

export interface BroughtBackProps {
  readonly thread: ThreadPlace
  readonly search: ConversationSearch
  /** The message that asked for them. */
  readonly seq: number
  readonly entries: readonly number[]
  readonly head: number
}

/** What was brought back for a message: how much, from when, and unfolded, what. */
export function BroughtBack({ thread, search, seq, entries, head }: BroughtBackProps) {
  const shown = useShown(thread, entries, head)
  const days = daysOf(shown.flatMap(({ time }) => (time === undefined ? [] : [time])))
  return (
    <div className={styles.brought}>
      <Fold
        name={`${seq} brought back`}
        kind="recalled"
        icon={<FateGlyph fate="recalled" />}
        label={
          <>
            <b>Brought back {amountOf(entries.length, 'message')}</b>
            {days !== '' && <span> from {days}</span>}
          </>
        }
      >
        <Entries thread={thread} search={search} shown={shown} all={entries.length} />
      </Fold>
    </div>
  )
}

const few = 3

function Entries({
  thread: { conversation },
  search,
  shown,
  all,
}: Pick<BroughtBackProps, 'thread' | 'search'> & { readonly shown: readonly Shown[]; readonly all: number }) {
  const [isWhole, setWhole] = useState(false)
  const listed = isWhole ? shown : shown.slice(0, few)
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
      {listed.length < all && (
        <li>
          <button type="button" onClick={() => setWhole(true)}>
            and {all - listed.length} more
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
  const blocks = [...new Set(entries.map(seq => Math.floor((seq - 1) / perBlock)))]
  const found = useQueries({
    queries: blocks.map(block => shownQuery(thread, block, head)),
    combine: results => results.map(({ data }) => data),
  })
  return entries.flatMap(seq => {
    const message = found[blocks.indexOf(Math.floor((seq - 1) / perBlock))]?.messages.get(seq)
    if (!message) return []
    const { text, time, calls, results } = readShown(message)
    const line =
      text || results.map(result => result.text).join(' ') || calls.map(call => call.name).join(', ')
    return [{ seq, time, text: line.slice(0, 300) }]
  })
}
