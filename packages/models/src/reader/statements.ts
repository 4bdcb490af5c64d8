import type { Message } from '@throughline/core/messages'
import { type ReaderInput, type Section, splitSections } from './reader-input.ts'
import { isQuestion, splitSentences } from './split-sentences.ts'
import { isHelpless, type Quotation, quotedBy, speakerOf } from './wording.ts'

/** `isJustNow`: it stands in the message that is being answered. */
export type Sentence = Readonly<ReturnType<typeof readStatements>[number]>

/** Recalled texts and the first user message are older than all that is still in its place, the gist of texts is oldest. */
const [gist, broughtBack, inPlace] = [0, 1, 2]

/** All visible sentences, oldest first, except the question itself and the reader's own "I found no sentence". */
export function readStatements({ messages, asked, askedAt }: ReaderInput) {
  const first = messages.findIndex(({ role }) => role === 'user')
  const questions = new Set(splitSentences(asked).filter(isQuestion))
  const placed = messages.flatMap((message, place) => {
    const messageSpeaker = speakerOf(message.role)
    const isJustNow = place === askedAt
    const isGist = messageSpeaker === 'instructions' || messageSpeaker === 'note'
    const ownEra = isGist ? gist : place === first && !isJustNow ? broughtBack : inPlace
    return readSections(message).flatMap(({ speaker, recalled, text }) => {
      const era = speaker === undefined ? ownEra : recalled === undefined ? gist : broughtBack
      return readSentences(speaker ?? messageSpeaker, text)
        .filter(sentence => !isJustNow || !questions.has(sentence.text))
        .map(sentence => ({
          ...{ ...sentence, isQuestion: isQuestion(sentence.text), isJustNow, within: text },
          ...{ era, seq: recalled ?? place },
        }))
    })
  })
  // Sorting is stable: sentences of one message stay in order.
  return placed.toSorted((a, b) => a.era - b.era || a.seq - b.seq)
}

/** The sections of a message; notes in a reply come last. */
function readSections({ role, text }: Message): readonly Section[] {
  const notes = [...text.matchAll(noteBlock)].map(([, note]) => ({
    speaker: 'note' as const,
    text: note!.trim(),
  }))
  const withoutNotes = text.replace(noteBlock, '')
  return [...(role === 'tool' ? [{ text: withoutNotes }] : splitSections(withoutNotes)), ...notes]
}

const noteBlock = /\[NOTE TO SELF(?: [A-Za-z0-9]{1,32})?:([^\]]{0,2000})\]/g

/** Splits a text into sentences. A quotation by the reader counts as said by the quoted speaker. */
function readSentences(speaker: Quotation['speaker'], text: string): readonly Quotation[] {
  return text.split('\n').flatMap(line => {
    const quoted = speaker === 'user' ? undefined : quotedBy(line)
    if (quoted) return [quoted]
    if (speaker !== 'user' && isHelpless(line)) return []
    return splitSentences(line).map(sentence => ({ speaker, text: sentence }))
  })
}
