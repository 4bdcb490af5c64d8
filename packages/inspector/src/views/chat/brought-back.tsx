import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { blockOf, shownQuery } from '../../api/chat-queries.ts'
import { conversationQuery } from '../../api/queries.ts'
import { placeOfHit, viewAt } from '../../parts/address.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { dateOf, daysOf, shortDayOf, titleOf } from '../../parts/format.ts'
import { type RecallSource, recalledTitle } from '../../parts/sent-rows.ts'
import styles from './brought-back.module.css'
import { type BroughtEntries, readShown } from './chat-rows.ts'
import { FoldButton, useFold } from './fold.tsx'
import type { RowContext } from './use-chat-thread.ts'

interface BroughtBackProps {
  readonly chat: RowContext
  /** The message that asked for them. */
  readonly seq: number
  readonly question: string
  readonly brought: BroughtEntries
  readonly before?: React.ReactNode
}

/** What was brought back for a message: how much, from when, and unfolded, what. */
export function BroughtBack(props: BroughtBackProps) {
  const { chat, seq, question, brought, before } = props
  const { entries, sources } = brought
  const fold = useFold(`${seq} brought back`)
  const shown = useShown(chat, entries)
  const days = daysOf(
    [...shown, ...sources].flatMap(({ time }) => (time === undefined ? [] : [time])),
  )
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
      {fold.isOpen && entries.length > 0 && (
        <Entries {...props} shown={bestFirst(question, shown)} />
      )}
      {fold.isOpen && sources.length > 0 && (
        <ol className={`clipped text-12-18 on-panel round-3 ${styles.entries}`} data-kind="sources">
          {sources.map((source, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name
            <li key={at}>
              <From {...source} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

const few = 3

function bestFirst(question: string, shown: readonly EntryPreview[]): readonly EntryPreview[] {
  const ranked = shown.map(one => {
    const { amount, at } = sharedWords(question, one.text)
    return { ...one, amount, text: lineFrom(one.text, at) }
  })
  return ranked.sort((a, b) => b.amount - a.amount || a.seq - b.seq)
}

function Entries(props: BroughtBackProps & { readonly shown: readonly EntryPreview[] }) {
  const { chat, brought, shown } = props
  const [isWhole, setWhole] = useState(false)
  const listed = shown.slice(0, isWhole ? shown.length : few).sort((a, b) => a.seq - b.seq)
  const more = brought.entries.length - listed.length
  return (
    <ol className={`clipped text-12-18 on-panel round-3 ${styles.entries}`}>
      {listed.map(({ seq, time, text }) => (
        <li key={seq}>
          <Link
            className="hovers inset"
            {...viewAt('context', chat.thread.conversation, { ...chat.search, entry: seq })}
          >
            <span className="muted">{time !== undefined && shortDayOf(time)}</span>
            <span className="fate-text medium" data-fate="recalled">
              #{seq}
            </span>
            <span className="cut slim" dir="auto">
              {text}
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && !isWhole && (
        <li>
          <button type="button" className="muted hovers inset" onClick={() => setWhole(true)}>
            and {more} more
          </button>
        </li>
      )}
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
    <Link {...viewAt('chat', conversation, search)} className="hovers inset" title={why}>
      {content}
    </Link>
  )
}

type EntryPreview = ReturnType<typeof useShown>[number]

/** The entries as a user may see them, in a line each. Entries that are not for users, such as notes, are left out. */
function useShown({ thread, shownHead: head }: RowContext, entries: readonly number[]) {
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
      text ||
      results.map(result => result.text).join(' ') ||
      calls.map(call => call.name).join(', ')
    return [{ seq, time, text: line }]
  })
}

/** Words of more than three letters, and each character of scripts without blanks. */
const words = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]{4,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [],
  )

/** How many words of a question stand in a text, long ones counting more, and where the longest of them is. */
function sharedWords(question: string, text: string) {
  const wanted = words(question.slice(0, 4000))
  const inside = text.slice(0, 20_000).toLowerCase()
  let longest = ''
  let amount = 0
  for (const word of words(inside)) {
    if (!wanted.has(word)) continue
    amount += Math.max(1, word.length - 3)
    if (word.length > longest.length) longest = word
  }
  return { amount, at: longest === '' ? -1 : inside.indexOf(longest) }
}

/** A text from a little before a place on, in a line. */
function lineFrom(text: string, at: number): string {
  const from = at > 60 ? text.lastIndexOf(' ', at - 20) + 1 : 0
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 300)}`
}
