import type { Conversation } from '../conversation/conversation.ts'
import { indexTranscript } from '../recall/index-transcript.ts'
import { entryOf } from '../recall/posting.ts'
import { termsOf, withoutLabel, wordsOf } from '../recall/terms.ts'

/** A word of a text, and the places of the earlier messages that have it, in whatever form, oldest first. */
export interface Mention {
  readonly word: string
  readonly seqs: readonly number[]
  /** How many messages have it: more than `seqs`, if it is a common word. */
  readonly many: number
}

export interface Mentions {
  /** How many messages there are, each round of tools one. */
  readonly messages: number
  readonly words: readonly Mention[]
  /** The newest user message: it is looked for, if no text was given. */
  readonly asking?: number
}

/** Of a word that more messages have, the newest are named. */
const mostPlaces = 512

/** The most words of a text that are looked for. */
const mostWords = 64

/** Which words of a text a conversation has, and where. Without a text: the words of its newest user message, before that. */
export function mentionsOf({ transcript, origin }: Conversation, text?: string): Mentions {
  const { units, turns, entries } = transcript
  const asking = turns.at(-1)
  const n = (text === undefined ? asking : undefined) ?? units.length
  const index = indexTranscript(transcript, units.length)
  const lookedFor = text ?? (asking === undefined ? '' : entries[units[asking]!.from]!.message.text)
  const words = new Map<number | string, Mention>()
  for (const word of wordsOf(withoutLabel(lookedFor).slice(0, 10_000)))
    for (const term of termsOf(word)) {
      if (words.size >= mostWords) break
      const id = index.vocabulary.get(term)
      if (words.has(id ?? term)) continue
      const lists = id === undefined ? [] : index.postings(id, { n, most: mostPlaces })
      const seqs = lists.flatMap(list =>
        Array.from(list, posting => origin + units[entryOf(posting)]!.from),
      )
      const many = id === undefined ? 0 : index.frequency(id, n)
      words.set(id ?? term, { word: term.length < 3 ? term : word, seqs, many })
    }
  return {
    messages: n,
    words: [...words.values()],
    ...(asking !== undefined && { asking: origin + units[asking]!.from }),
  }
}
