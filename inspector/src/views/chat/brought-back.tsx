import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { blockOf, shownQuery } from '../../api/chat-queries.ts'
import { conversationQuery, type ThreadAddress } from '../../api/queries.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { dateOf, shortDayOf } from '../../parts/format.ts'
import { placeOfHit } from '../../parts/hit-place.ts'
import { type RecallSource, recalledTitle } from '../../parts/sent-rows.ts'
import { titleOf } from '../../parts/title-of.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './brought-back.module.css'
import type { BroughtEntries } from './chat-rows.ts'
import { daysOf } from './days-of.ts'
import { FoldButton, useFold } from './fold.tsx'
import { readShown } from './read-shown.ts'
import { lineFrom, sharedWords } from './shared-words.ts'

export interface BroughtBackProps {
  readonly thread: ThreadAddress
  readonly search: ConversationSearch
  /** The message that asked for them. */
  readonly seq: number
  readonly question: string
  readonly brought: BroughtEntries
  readonly head: number
  /** What stands before it in the same line. */
  readonly before?: React.ReactNode
}

/** What was brought back for a message: how much, from when, and unfolded, what. */
export function BroughtBack(props: BroughtBackProps) {
  const { thread, seq, question, brought, head, before } = props
  const { entries, sources } = brought
  const fold = useFold(`${seq} brought back`)
  const shown = useShown(thread, entries, head)
  const days = daysOf([...shown, ...sources].flatMap(({ time }) => (time === undefined ? [] : [time])))
  return (
    <div className={`grid single gap-6px slim ${styles.brought}`}>
      <div className="row wraps at-end gap-2 slim">
        {before}
        <FoldButton
          {...fold}
          kind="recalled"
          icon={<FateGlyph fate="recalled" />}
          label={
            <>
              <b>Brought back {recalledTitle(entries, sources)}</b>
              {days !== '' && <span> from {days}</span>}
            </>
          }
        />
      </div>
      {fold.isOpen && entries.length > 0 && <Entries {...props} shown={bestFirst(question, shown)} />}
      {fold.isOpen && sources.length > 0 && <Sources sources={sources} />}
    </div>
  )
}

const few = 3

/** Entries with most words of the question first. */
function bestFirst(question: string, shown: readonly EntryPreview[]): readonly EntryPreview[] {
  const ranked = shown.map(one => {
    const { amount, at } = sharedWords(question, one.text)
    return { ...one, amount, text: lineFrom(one.text, at) }
  })
  return ranked.sort((a, b) => b.amount - a.amount || a.seq - b.seq)
}

function Entries({
  thread: { conversation },
  search,
  brought: { entries },
  shown,
}: BroughtBackProps & { readonly shown: readonly EntryPreview[] }) {
  const [isWhole, setWhole] = useState(false)
  const listed = shown.slice(0, isWhole ? shown.length : few).sort((a, b) => a.seq - b.seq)
  const more = entries.length - listed.length
  return (
    <ol className={`clipped text-12-18 on-panel round-3 ${styles.entries}`}>
      {listed.map(({ seq, time, text }) => (
        <li key={seq}>
          <ViewLink view="context" conversation={conversation} search={{ ...search, entry: seq }}>
            <span className="muted">{time !== undefined && shortDayOf(time)}</span>
            <span className={styles.seq}>#{seq}</span>
            <span className="cut slim" dir="auto">
              {text}
            </span>
          </ViewLink>
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

/** Where the messages of other conversations come from, the best first. */
function Sources({ sources }: { readonly sources: readonly RecallSource[] }) {
  return (
    <ol className={`clipped text-12-18 on-panel round-3 ${styles.entries}`} data-kind="sources">
      {sources.map((source, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name
        <li key={at}>
          <From {...source} />
        </li>
      ))}
    </ol>
  )
}

function From({ conversation, actor, branch, seq, time, why, isGone = false }: RecallSource) {
  const { data: info } = useQuery({ ...conversationQuery(conversation), enabled: !isGone })
  const content = (
    <>
      <span className="muted">{isGone ? 'deleted' : time === undefined ? '' : dateOf(time)}</span>
      <span className="cut slim" dir="auto">
        <b>{titleOf(info ?? { conversation })}</b> #{seq} · {why}
      </span>
    </>
  )
  if (isGone) return <div>{content}</div>
  const search = placeOfHit({ actor, branch, seq })
  return (
    <ViewLink view="chat" conversation={conversation} search={search} title={why}>
      {content}
    </ViewLink>
  )
}

interface EntryPreview {
  readonly seq: number
  readonly time: number | undefined
  readonly text: string
}

/** The entries as a user may see them, in a line each. Entries that are not for users, such as notes, are left out. */
function useShown(thread: ThreadAddress, entries: readonly number[], head: number): readonly EntryPreview[] {
  const blocks = [...new Set(entries.map(blockOf))]
  const shownBlocks = useQueries({
    queries: blocks.map(block => shownQuery(thread, block, { head, mayInspect: true })),
    combine: results => results.map(({ data }) => data),
  })
  return entries.flatMap(seq => {
    const message = shownBlocks[blocks.indexOf(blockOf(seq))]?.messages.get(seq)
    if (!message) return []
    const { text, time, calls, results } = readShown(message)
    const line =
      text || results.map(result => result.text).join(' ') || calls.map(call => call.name).join(', ')
    return [{ seq, time, text: line }]
  })
}
