import { keptVerdict } from '../../context/make-receipt.ts'
import { joinGiven } from '../../context/prompt/split-prompt.ts'
import { fates, type ReceiptStretch, type SentMessage } from '../../context/receipt.ts'
import type { MessageLike } from '../../log/message.ts'
import { notesTitle } from '../../log/texts.ts'
import { type ItemAccount, isRun, type Plan, type Run } from './plan.ts'

/**
 * What a plan says of every message that was sent, as its receipt did. Of entries that were sent as they are the tokens are
 * not stored: `tokensAt` gives them, by the place among the messages.
 */
export function sentIn({ messages }: Plan, tokensAt = (_place: number) => 0): readonly SentMessage[] {
  const sent: SentMessage[] = []
  for (const item of messages) {
    if (isRun(item)) {
      const [, , part = 'history'] = item
      for (const seq of seqsIn([item]))
        sent.push({ part, tokens: tokensAt(sent.length), seqs: [seq], standsFor: [] })
    } else {
      sent.push({ ...toSent(item), joined: item.joined?.map(toSent) })
    }
  }
  return sent
}

const toSent = ({ seqs = [], standsFor = [], part, tokens, remembered }: ItemAccount): SentMessage => ({
  ...{ part, tokens, seqs: seqsIn(seqs), standsFor: seqsIn(standsFor), remembered },
})

function seqsIn(runs: readonly Run[]): readonly number[] {
  const seqs: number[] = []
  for (const [first, last] of runs) for (let seq = first; seq <= last; seq++) seqs.push(seq)
  return seqs
}

/** The fates of all messages, as the stretches of the receipt were. */
export function stretchesOf({ messages, verdicts, fates: stored }: Plan): readonly ReceiptStretch[] {
  const notKept = stored.map(([first, last, verdict]): ReceiptStretch => {
    const [fate, rule = '', why = ''] = verdicts[verdict] ?? []
    return { first, last, fate: fates.find(one => one === fate) ?? 'omitted', rule, why }
  })
  const sent = messages.flatMap(item => {
    const [runs, part] = isRun(item) ? [[item], item[2] ?? 'history'] : [item.seqs ?? [], item.part]
    return runs.map(([first, last]) => ({ first, last, ...keptVerdict(part) }))
  })
  const stretches: ReceiptStretch[] = []
  let next = 0
  // What was sent without another fate was kept. An import may say anything: of two fates the first one counts.
  for (const one of [...notKept, ...sent].sort((a, b) => a.first - b.first)) {
    const first = Math.max(next, one.first)
    if (first > one.last) continue
    stretches.push({ ...one, first })
    next = one.last + 1
  }
  return stretches
}

export function hasNotesInPrompt({ messages: [first] }: Plan): boolean {
  if (!first || isRun(first) || (first.as as { readonly role?: unknown }).role !== 'system') return false
  return first.joined?.some(({ part }) => part === 'notes') ?? false
}

/** The system prompt that a call was given. `first`: its first message, which may have notes at its end. */
export function givenPrompt(plan: Plan, first: MessageLike | undefined): string | undefined {
  const [item] = plan.messages
  const isPrompt = item && !isRun(item) && item.seqs?.[0]?.[0] === 0 && first?.role === 'system'
  if (!isPrompt || typeof first.content !== 'string') return undefined
  if (plan.given) return joinGiven(plan.given, first.content)
  if (!hasNotesInPrompt(plan)) return first.content
  // The notes are gathered anew. They stand behind an empty line.
  return first.content.slice(0, Math.max(0, first.content.lastIndexOf(`${notesTitle}\n`) - 2))
}
