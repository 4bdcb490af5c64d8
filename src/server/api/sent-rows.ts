import { z } from 'zod'
import type { Context } from '../../context/context.ts'
import { type Fate, type Part, parts } from '../../context/receipt.ts'
import { isRun, leadOf, type Plan } from '../../history/calls/plan.ts'
import { placeInLog, seqInReceipt, stretchInLog } from '../../history/log/places-in-log.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import {
  acknowledgement,
  actionsTitle,
  artifactTitle,
  markerText,
  notesTitle,
  openingText,
  previousActionsTitle,
  recallTitle,
} from '../../log/texts.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { count, place } from './schemas.ts'

export const sentRow = z
  .object({
    part: z.enum(parts),
    role: z.string(),
    tokens: count,
    seq: place.optional().describe('the entry that it is, as it is logged or altered'),
    entries: z.array(place).optional().describe('the entries that are quoted in it, or that it stands for'),
    text: z.string().optional().describe('the text of a message that is no entry'),
  })
  .describe('a message that the model got')

export const rowsField = z
  .boolean()
  .optional()
  .describe('whether every message is told with its part, its tokens and the entries in it')

export const textsField = z
  .boolean()
  .optional()
  .describe('false leaves out every text: what stands in a context that its user may not see, such as a note')

/** Rows without the texts of messages that are no entries. */
export const withoutTexts = (rows: readonly SentRow[]): readonly SentRow[] =>
  rows.map(({ text: _, ...row }) => row)

export type SentRow = z.infer<typeof sentRow>

interface SentMessage {
  readonly message: MessageLike
  /** Absent for a message that is no entry. */
  readonly seq?: number | undefined
  readonly part: Part
}

interface Verdict {
  readonly first: number
  readonly last: number
  readonly fate: Fate
}

/** The rows of a context that was made now. `sources`: for each message its entry, 0 for none. */
export function rowsOfContext(
  { messages, receipt }: Context,
  { lead, sources, counter }: RowsOptions & { readonly sources: readonly number[] | undefined },
): readonly SentRow[] {
  const added = new Map(receipt.inserted.map(({ place, part }) => [place, part]))
  const sent = messages.map((message, index): SentMessage => {
    const seq = sources?.[index] || undefined
    const rule = seq === undefined ? undefined : receipt.entries[seqInReceipt(seq, lead)]?.rule
    const usual = message.role === 'system' ? 'system' : 'history'
    return { message, seq, part: added.get(index) ?? parts.find(part => part === rule) ?? usual }
  })
  const verdicts = receipt.stretches.map(stretch => stretchInLog(stretch, lead))
  return toRows(sent, verdicts, { lead, counter })
}

/** The rows of a stored call. `messages`: what was sent, as a replay gives it. */
export function rowsOfPlan(
  plan: Plan,
  messages: readonly MessageLike[],
  verdicts: readonly Verdict[],
  counter: TokenCounter,
): readonly SentRow[] {
  const lead = leadOf(plan)
  const altered = placesOf(verdicts, 'altered')
  const places: (number | undefined)[] = []
  for (const [index, item] of plan.messages.entries()) {
    if (isRun(item)) for (let seq = item[0]; seq <= item[1]; seq++) places.push(seq)
    else {
      const next = plan.messages.slice(index + 1).find(isRun)?.[0] ?? Number.POSITIVE_INFINITY
      const isOurs = addedPart(messages[places.length]) !== undefined || (places.length === 0 && lead > 0)
      // An altered entry is written out in its place among the others.
      places.push(!isOurs && altered[0] !== undefined && altered[0] < next ? altered.shift() : undefined)
    }
  }
  const ends = protectedEnd(messages, places)
  const firstUser = messages.findIndex(({ role }, index) => role === 'user' && places[index] !== undefined)
  const sent = messages.map((message, index): SentMessage => {
    const seq = places[index]
    return { message, seq, part: partOf(message, index) }

    function partOf({ role }: MessageLike, index: number): Part {
      if (seq === undefined) return addedPart(message) ?? (role === 'system' ? 'system' : 'digests')
      if (role === 'system') return 'system'
      if (ends.has(index)) return 'latest'
      return index === firstUser ? 'first' : 'history'
    }
  })
  return toRows(sent, verdicts, { lead, counter })
}

interface RowsOptions {
  /** How many messages of the receipt stand before the first entry. */
  readonly lead: number
  readonly counter: TokenCounter
}

function toRows(
  sent: readonly SentMessage[],
  verdicts: readonly Verdict[],
  { lead, counter }: RowsOptions,
): readonly SentRow[] {
  const recalled = new Set(placesOf(verdicts, 'recalled'))
  const digested = verdicts.filter(({ fate }) => fate === 'digested')
  const standing = sent.filter(({ part }) => part === 'digests' || part === 'journal')
  const moved = placesOf(verdicts, 'moved')
  // A stretch goes over what was sent in its midst: the first message.
  const own = new Set(sent.map(({ seq }) => seq))

  function entriesOf({ message, part }: SentMessage): readonly number[] {
    switch (part) {
      case 'recall':
        return quotedIn(textOf(message), lead).filter(seq => recalled.has(seq))
      case 'notes':
        return moved
      case 'digests':
      case 'journal': {
        // As many messages as stretches: one stands for one. Else the first one stands for all.
        const at = standing.findIndex(one => one.message === message)
        if (standing.length === digested.length) return placesOf(digested.slice(at, at + 1), 'digested')
        return at === 0 ? placesOf(digested, 'digested') : []
      }
      default:
        return []
    }
  }

  return sent.map(one => {
    const { message, seq, part } = one
    const entries = seq === undefined ? entriesOf(one).filter(quoted => !own.has(quoted)) : []
    return {
      ...{ part, role: message.role, tokens: counter.message(readMessage(message, 0)) },
      ...(seq === undefined ? { text: textOf(message) } : { seq }),
      ...(entries.length > 0 && { entries: [...entries] }),
    }
  })
}

function placesOf(verdicts: readonly Verdict[], wanted: Fate): number[] {
  const places: number[] = []
  for (const { first, last, fate } of verdicts)
    if (fate === wanted) for (let seq = Math.max(1, first); seq <= last; seq++) places.push(seq)
  return places.sort((a, b) => a - b)
}

/** The entries that a block of recall quotes: its lines begin with `#12 user:`, counted as the receipt does. */
function quotedIn(text: string, lead: number): readonly number[] {
  const found = new Set<number>()
  for (const [, label] of text.matchAll(/^#(\d{1,9}) [a-z]/gm)) found.add(placeInLog(Number(label), lead))
  return [...found]
}

/** The part of a message that the library added, by its first words. */
function addedPart(message: MessageLike | undefined): Part | undefined {
  const text = message ? textOf(message) : ''
  return titles.find(([title]) => text.startsWith(title))?.[1]
}

const titles: readonly (readonly [string, Part])[] = [
  [markerText, 'marker'],
  [recallTitle, 'recall'],
  [artifactTitle, 'recall'],
  [notesTitle, 'notes'],
  [actionsTitle, 'journal'],
  [previousActionsTitle, 'journal'],
  [acknowledgement, 'framing'],
  [openingText, 'framing'],
  ['[Previous: ', 'digests'],
]

/** The latest user message, the last round after it, and the last message: always sent. */
function protectedEnd(
  messages: readonly MessageLike[],
  places: readonly (number | undefined)[],
): ReadonlySet<number> {
  const isEntry = (index: number) => places[index] !== undefined
  const user = messages.findLastIndex(({ role }, index) => role === 'user' && isEntry(index))
  const last = messages.findLastIndex((_, index) => isEntry(index))
  const ends = new Set([user, last])
  for (let index = last; index > user && messages[index]!.role === 'tool'; index--) {
    ends.add(index)
    if (messages[index - 1]!.role === 'assistant') ends.add(index - 1)
  }
  return ends
}

const textOf = ({ content }: MessageLike): string =>
  typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content)
