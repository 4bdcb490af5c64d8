import type { Message } from '../../log/message.ts'
import type { Given } from './given.ts'
import { type Section, splitSections } from './sections.ts'
import { isQuestion, splitSentences } from './split-sentences.ts'
import { isHelpless, quotedBy, type Speaker } from './wording.ts'

/** A sentence that the reader can see, and who said it. */
export interface Statement {
  readonly speaker: Speaker
  readonly text: string
  readonly isQuestion: boolean
  /** Whether its end was cut off when it was quoted: a whole sentence is preferred. */
  readonly isCut: boolean
  /** Whether it stands in the message that is being answered. */
  readonly isJustNow: boolean
}

interface Placed extends Statement {
  /** Recalled texts and the first user message are older than all that is still in its place. */
  readonly era: 'gist' | 'brought back' | 'in place'
  readonly seq: number
}

const eras = ['gist', 'brought back', 'in place']

/** All visible sentences, oldest first, except the question itself and the reader's own "I cannot see". */
export function readStatements({ messages, asked, askedAt }: Given): readonly Statement[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  const questions = new Set(splitSentences(asked).filter(isQuestion))
  const placed = messages.flatMap((message, seq) =>
    readMessage(message, seq, seq === first && seq !== askedAt)
      .filter(({ text }) => seq !== askedAt || !questions.has(text))
      .map(statement => (seq === askedAt ? { ...statement, isJustNow: true } : statement)),
  )
  // Sorting is stable: sentences of one message stay in order.
  return placed.toSorted((a, b) => eras.indexOf(a.era) - eras.indexOf(b.era) || a.seq - b.seq)
}

function readMessage(message: Message, seq: number, isFirst: boolean): readonly Placed[] {
  const { text, notes } = takeNotes(message.text)
  const own = message.role === 'tool' ? [{ kind: 'own' as const, text }] : splitSections(text)
  const all: readonly Section[] = [...own, ...notes.map(note => ({ kind: 'note' as const, text: note }))]
  return all.flatMap(section => readSection(section, speakerOf(message.role), seq, isFirst))
}

function readSection(section: Section, speaker: Speaker, seq: number, isFirst: boolean): readonly Placed[] {
  const { kind, text } = section
  switch (kind) {
    case 'own': {
      const isGist = speaker === 'instructions' || speaker === 'note'
      return sentences(speaker, text, isGist ? 'gist' : isFirst ? 'brought back' : 'in place', seq)
    }
    case 'note':
      return sentences('note', text, 'gist', seq)
    case 'action':
      return sentences('tool', text, 'gist', seq)
    case 'digest':
      return [
        ...sentences('user', section.request, 'gist', seq),
        ...sentences('assistant', text, 'gist', seq),
      ]
    case 'recalled':
      return sentences(speakerOf(section.role), text, 'brought back', section.seq)
  }
}

/** Splits a text into sentences. A quotation by the reader counts as said by the quoted speaker. */
function sentences(speaker: Speaker, text: string, era: Placed['era'], seq: number): readonly Placed[] {
  return text
    .split('\n')
    .flatMap(line => {
      const isOwn = speaker !== 'user'
      const quoted = isOwn ? quotedBy(line) : undefined
      if (quoted) return [quoted]
      if (isOwn && isHelpless(line)) return []
      return splitSentences(line).map(sentence => ({ speaker, text: sentence }))
    })
    .map(said => ({
      ...said,
      isQuestion: isQuestion(said.text),
      isCut: said.text.endsWith('…'),
      isJustNow: false,
      era,
      seq,
    }))
}

/** Separates the notes from a reply. */
function takeNotes(text: string): { readonly text: string; readonly notes: readonly string[] } {
  const notes: string[] = []
  const rest = text.replace(/\[NOTE TO SELF(?: [A-Za-z0-9]{1,32})?:([^\]]{0,2000})\]/g, (_, note: string) => {
    notes.push(note.trim())
    return ''
  })
  return { text: rest, notes }
}

function speakerOf(role: Message['role']): Speaker {
  return role === 'system' ? 'instructions' : role === 'assistant_note' ? 'note' : role
}
