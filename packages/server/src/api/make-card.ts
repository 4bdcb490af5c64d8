import type { Card } from '@throughline/core/card'
import { entryAt, termPlaces } from '@throughline/core/explain'
import { fateInText } from '@throughline/core/fates'
import { erasedText, readMessage } from '@throughline/core/messages'
import { type Mentions, termsOf } from '@throughline/core/recall'
import { type Room, toModelTokens } from '@throughline/core/tokens'
import type { Thread } from '@throughline/history'
import type { Plan } from '@throughline/history/calls'
import { withPin } from '@throughline/history/hands'
import type { FitSettings } from './fit-thread.ts'
import { accountOf, fateAt, isSentAt, matchIn, tellingOf, wouldSend } from './seen.ts'
import type { TimelinePoint } from './timeline/point.ts'

export interface CardSource {
  readonly thread: Thread
  readonly options: FitSettings & { readonly at?: number | undefined }
  readonly room: Room
  /** The plan of the call that is asked about, and whether its policy is known. */
  readonly stored?: Plan | undefined
  readonly isKnown: boolean
  /** The points of the thread from an entry on, oldest first. */
  readonly points: (since: number) => Promise<AsyncIterable<TimelinePoint>>
  /** The call whose answer is asked about. Default: the point at `at`, else the newest. */
  readonly call?: string | undefined
  /** The message that was needed. Default: the one message that clearly has what was asked, if the answer has it not. */
  readonly entry?: number | undefined
  /** What was needed, in words: the message with most of them is taken. */
  readonly text?: string | undefined
}

/** Why an answer forgot what one message had told; undefined where that cannot be said for sure. */
export async function makeCard(source: CardSource): Promise<Card | undefined> {
  const { thread, options, room, stored } = source
  const { receipt } = await thread.context(options)
  const account = accountOf(receipt, stored)
  const asked = await thread.mentions(options)
  const seq = source.entry ?? (await neededEntry(source, { ...asked, receipt: account }))
  if (seq === undefined || seq < 1 || isSentAt(account, seq)) return undefined
  const stretch = fateAt(account, seq)
  // What came later has no fate.
  if (!stretch) return undefined
  // A hidden or a deleted message has a reason of its own within a stretch.
  const { fate, rule, why: reason } = stored ? stretch : entryAt(receipt, seq)
  if (rule === 'hidden') return undefined
  const life = await lifeOf(source, seq)
  if (!life) return undefined
  const { point } = life
  const told = await messageAt(thread, seq)
  const question = await messageAt(thread, point.user)
  if (!told || !question || told.text === erasedText) return undefined
  const shared = asked.words.flatMap(({ word, seqs }) => (seqs.includes(seq) ? [word] : []))
  const deletedAt = /^deleted by its client(?: at turn (\d+))?$/.exec(reason)
  const terms = new Set(shared.flatMap(word => termsOf(word)))
  const common = {
    asked: {
      turn: point.turn,
      question: question.text.slice(0, mostCharacters),
      answer: await answerAfter(thread, point),
      model: point.model,
    },
    sent: life.sent,
    shared,
    context: {
      all: point.at,
      sent: point.at - point.counts.omitted,
      tokens: point.tokens,
      window: point.window,
      free: point.free,
      policy: point.policy,
      fates: point.fates,
      cut: point.cut?.before,
    },
  }
  const { role, turn } = told
  if (deletedAt)
    return {
      ...common,
      kind: 'deleted',
      told: { seq, role, turn, text: '', marks: [] },
      left: deletedAt[1] === undefined ? life.left : Number(deletedAt[1]),
      cures: {},
    }
  const text = excerpt(told.text, term => terms.has(term))
  const marks = termPlaces(text, term => terms.has(term), 40)
  const { recall, unit } = await thread.why(seq, options)
  const isUnmatched = recall?.outcome === 'not_asked' || recall?.outcome === 'weak_match'
  const isShort = fate === 'digested' || fate === 'cleared'
  return {
    ...common,
    kind: isShort ? 'shortened' : isUnmatched ? 'unmatched' : 'cut',
    told: { seq, role, turn, text, marks },
    left: life.left,
    cures: await curesOf(source, account.policy, {
      seq,
      tokens: toModelTokens(unit.tokens, room.factor),
    }),
  }
}

const mostCharacters = 4000

type Asked = Mentions & Pick<Parameters<typeof matchIn>[1], 'receipt'>

/** The one message that has what was asked, where no other comes near and the answer has nothing of it. */
async function neededEntry(
  { thread, options, text, ...source }: CardSource,
  asked: Asked,
): Promise<number | undefined> {
  const { receipt, asking } = asked
  const looked = text === undefined ? asked : await thread.mentions({ ...options, text })
  const place = { words: looked.words, messages: looked.messages, receipt, asking }
  const best = await matchIn(thread, place)
  if (!best || best.isSent) return undefined
  const { entry } = best
  if (text !== undefined) return entry
  // What was said right after it mostly repeats it.
  const skipped = new Set([entry - 1, entry, entry + 1])
  const next = await matchIn(thread, { ...place, skipped })
  if (next && next.weight > 0.8 * best.weight) return undefined
  const life = await lifeOf({ thread, options, ...source }, entry)
  const answer = life && (await answerAfter(thread, life.point))
  // Without an answer nothing was forgotten.
  if (!answer) return undefined
  const { words, messages } = await thread.mentions({ ...options, text: answer })
  const questionWords = new Set(asked.words.map(({ word }) => word.toLowerCase()))
  const isKnown = tellingOf(words, messages).some(
    ({ word, seqs }) => seqs.includes(entry) && !questionWords.has(word.toLowerCase()),
  )
  return isKnown ? undefined : entry
}

/** The turns in which a message was sent as it is, the one in which it left, and the point that is asked about. */
async function lifeOf({ points, call, options: { at } }: CardSource, seq: number) {
  let sent: { readonly from: number; readonly to: number } | undefined
  let left: number | undefined
  let point: TimelinePoint | undefined
  for await (const one of await points(seq)) {
    if (at !== undefined && one.at > at) break
    point = one
    const fate = fateInText(one.fates, seq)
    if (fate === 'kept' || fate === 'altered' || fate === 'moved') {
      sent = { from: left === undefined ? (sent?.from ?? one.turn) : one.turn, to: one.turn }
      left = undefined
    } else if (sent) left ??= one.turn
    if (call !== undefined && one.call === call) break
  }
  return point && { sent, left, point }
}

async function curesOf(
  { thread, options, room, isKnown }: CardSource,
  policy: string,
  { seq, tokens }: { readonly seq: number; readonly tokens: number },
): Promise<Card['cures']> {
  const would = await wouldSend(thread, seq, { options, room, account: { policy }, isKnown })
  const other = would.find(({ window }) => window === room.window)
  // Where another policy does in the same window, it needs no larger one too.
  const larger = would.find(one => one.window > room.window && (one.policy === policy || !other))
  const pinned = (await thread.context(withPin(options, seq))).receipt
  return {
    window: larger?.window,
    windowPolicy: larger && larger.policy !== policy ? larger.policy : undefined,
    policy: other?.policy,
    pin: pinned.over === 0 && isSentAt(pinned, seq) ? tokens : undefined,
  }
}

async function messageAt(thread: Thread, seq: number) {
  const [entry] = seq < 1 ? [] : await thread.entries({ at: seq, limit: 1 })
  if (entry?.seq !== seq) return undefined
  const { role, text } = readMessage(entry.message, seq)
  return { role, text: text.trim(), turn: entry.turn }
}

/** What a call was answered with, in words. */
async function answerAfter(thread: Thread, { at, turn }: Pick<TimelinePoint, 'at' | 'turn'>) {
  const answer = await messageAt(thread, at + 1)
  const isThere = answer?.role === 'assistant' && answer.turn === turn && answer.text !== ''
  return isThere ? answer.text.slice(0, mostCharacters) : undefined
}

/** The part of a text that has what was asked: a long one begins at the sentence with the first such word. */
function excerpt(text: string, isAsked: (term: string) => boolean): string {
  const from = termPlaces(text, isAsked, 1)[0]?.[0] ?? 0
  if (from < 110) return text.slice(0, mostCharacters)
  const before = text.slice(Math.max(0, from - 110), from)
  const sentence = Math.max(before.lastIndexOf('. '), before.lastIndexOf('\n'))
  const word = before.indexOf(' ', before.length - 60)
  const start = from - before.length + 1 + (sentence >= 0 ? sentence : Math.max(0, word))
  return `… ${text.slice(start, start + mostCharacters).trimStart()}`
}
