import type { Message, MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { notesTitle } from '../log/texts.ts'
import { findClosing } from '../notes/note-scanner.ts'
import type { SentMessage } from './receipt.ts'

/** A context as data for people: what the model gets, in the order in which it gets it. */
export interface DumpData {
  /** The system prompt, a text for each message of it. */
  readonly system: readonly string[]
  /** The schemas of the tools, as JSON. */
  readonly tools: readonly string[]
  /** What stands between the system prompt and `current`, oldest first. */
  readonly history: readonly DumpEntry[]
  /** The message that waits for an answer; absent when the assistant had the last word. */
  readonly current?: string
  /** The rounds of tool calls of the open turn, after `current`. */
  readonly since: readonly DumpEntry[]
}

/** A context, or what is known of one that was sent. */
export interface Dumpable {
  readonly messages: readonly MessageLike[]
  readonly receipt?: { readonly sent: readonly SentMessage[] }
  readonly tools?: readonly unknown[]
}

/** A message as a person reads it. */
export interface DumpEntry {
  /** `USER`, `ASSISTANT`, `TOOL` with the tool's name, or what a note is headed with. */
  readonly label: string
  /** The words; calls and results as lines. */
  readonly text: string
}

const missing = '(no instruction yet)'

/** A context as plain text: everything that the model gets, and nothing else. A note stands where it was written. */
export function dump(context: Dumpable): string {
  const { system, tools, history, current, since } = toDump(context)
  const lines = [
    '=== SYSTEM PROMPT ===',
    ...(system.length > 0 ? system : ['(none)']),
    ...(tools.length > 0 ? ['', '=== TOOLS ===', ...tools] : []),
    ...(history.length > 0 ? ['', '=== CONVERSATION HISTORY ===', ...history.flatMap(show)] : []),
    '',
    '=== CURRENT USER MESSAGE ===',
    current ?? missing,
    ...since.flatMap(show),
  ]
  return `${lines.join('\n')}\n`
}

/** `dump` as data. */
export function toDump({ messages, receipt, tools = [] }: Dumpable): DumpData {
  const read = messages.map(readMessage)
  const sent = receipt?.sent ?? []
  const isAnswered = read.at(-1)?.role === 'assistant' && read.at(-1)!.calls.length === 0
  // Messages that the library added in the role of a user (a journal, recalled entries) are no instructions.
  const isInstruction = ({ role }: Message, place: number) =>
    role === 'user' && sent[place]?.seqs.length !== 0
  const at = isAnswered ? -1 : read.findLastIndex(isInstruction)
  const start = read.findIndex(({ role }) => role !== 'system')
  const entries = entriesOf(read, sent)
  const [first, end] = [start < 0 ? read.length : start, at < 0 ? read.length : at]
  return {
    system: read.slice(0, first).map(({ text }) => text),
    tools: tools.map(tool => JSON.stringify(tool)),
    history: entries(first, end),
    ...(at < 0 ? {} : { current: body(read[at]!) }),
    since: at < 0 ? [] : entries(at + 1, read.length),
  }
}

/** Gives the entries of a stretch of messages, each note of the notes section where it was written. */
function entriesOf(messages: readonly Message[], sent: readonly SentMessage[]) {
  const gathered = new Map<number, DumpEntry[]>()
  const section = sent
    .flatMap(one => [one, ...(one.joined ?? [])])
    .find(({ part }) => part === 'notes')
  // The section has a title, and a line for each note.
  const [, ...lines] = section?.text?.split('\n') ?? []
  let before = 0
  for (const [place, seq] of (section?.standsFor ?? []).entries()) {
    // Later system messages may stand in front of all others.
    const isLater = ({ part, seqs: [first = seq] }: SentMessage) => part !== 'system' && first > seq
    while (before < sent.length && !isLater(sent[before]!)) before += 1
    const there = gathered.get(before) ?? []
    gathered.set(before, there)
    there.push({
      label: noteLabel,
      text: `${lines[place] ?? ''}\n(sent in the section "${notesTitle}")`,
    })
  }
  return (from: number, to: number): readonly DumpEntry[] => {
    const entries = messages
      .slice(from, to)
      .flatMap((message, index) => [...(gathered.get(from + index) ?? []), ...toEntries(message)])
    return [...entries, ...(gathered.get(to) ?? [])]
  }
}

/** A message, and the notes that are sent with it. */
function toEntries(message: Message): readonly DumpEntry[] {
  const { words, notes } =
    message.role === 'assistant' ? splitNotes(message.text) : { words: '', notes: [] }
  if (notes.length === 0) return [{ label: labelOf(message), text: body(message) }]
  const text = body({ ...message, text: words })
  const reply = text === '' ? [] : [{ label: labelOf(message), text }]
  return [...reply, ...notes.map(note => ({ label: noteLabel, text: note }))]
}

/** The words of a reply, and its notes in the form in which they are sent. Nothing else has it: it would be quoted. */
function splitNotes(text: string): { readonly words: string; readonly notes: readonly string[] } {
  const opening = /(?:\n\n|^)\[NOTE TO SELF(?: [a-zA-Z0-9]{1,32})?: /g
  const notes: string[] = []
  let words = ''
  let from = 0
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const { at, left } = findClosing(text, opening.lastIndex, 1)
    words += text.slice(from, match.index)
    notes.push(text.slice(opening.lastIndex, left > 0 ? at : at - 1))
    from = at
    opening.lastIndex = at
  }
  return { words: words + text.slice(from), notes }
}

const noteLabel = 'NOTE TO SELF'

function labelOf({ role, results }: Message): string {
  switch (role) {
    case 'tool': {
      const names = results
        .map(result => result.name ?? result.callId)
        .filter(name => name !== undefined)
      return ['TOOL', ...new Set(names)].join(' ')
    }
    case 'assistant_note':
      return noteLabel
    default:
      return role.toUpperCase()
  }
}

/** Everything that is sent of a message, calls and images included. */
function body({ role, text, thinking, calls, results, media, unknown }: Message): string {
  return [
    thinking && `(thinking) ${thinking}`,
    text,
    ...calls.map(call => `→ ${call.name}(${call.arguments})${call.id ? ` #${call.id}` : ''}`),
    ...(role === 'tool' ? [] : results.map(result => `← ${result.text}`)),
    media > 0 && `(${media} ${media === 1 ? 'image or file' : 'images or files'})`,
    unknown,
  ]
    .filter(Boolean)
    .join('\n')
}

const show = ({ label, text }: DumpEntry): readonly string[] => [`--- ${label} ---`, text]
