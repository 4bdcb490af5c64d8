import type { Message, MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'

/** A context as data for people: what the model gets, in the order in which it gets it. */
export interface DumpData {
  readonly system: readonly string[]
  readonly history: readonly DumpEntry[]
  /** The message that waits for an answer; absent when the assistant had the last word. */
  readonly current?: string
  /** The rounds of tool calls of the open turn, after `current`. */
  readonly since: readonly DumpEntry[]
}

interface Dumpable {
  readonly messages: readonly MessageLike[]
  readonly receipt?: { readonly inserted: readonly { readonly place: number; readonly text: string }[] }
}

export interface DumpEntry {
  readonly label: string
  readonly text: string
}

const missing = '(no instruction yet)'

/** A context as plain text: everything that the model gets, and nothing else. */
export function dump(context: Dumpable): string {
  const { system, history, current, since } = toDump(context)
  const lines = [
    '=== SYSTEM PROMPT ===',
    ...(system.length > 0 ? system : ['(none)']),
    ...(history.length > 0 ? ['', '=== CONVERSATION HISTORY ===', ...history.flatMap(show)] : []),
    ...['', '=== CURRENT USER MESSAGE ===', current ?? missing, ...since.flatMap(show)],
  ]
  return `${lines.join('\n')}\n`
}

/** `dump` as data. */
export function toDump({ messages, receipt }: Dumpable): DumpData {
  const read = messages.map(readMessage)
  // Messages that the library added in the role of a user (a journal, recalled entries) are no instructions.
  const added = new Set(
    receipt?.inserted.filter(({ place, text }) => read[place]?.text === text).map(({ place }) => place),
  )
  const start = read.findIndex(message => message.role !== 'system')
  const conversation = start < 0 ? [] : read.slice(start)
  const last = conversation.at(-1)
  const isAnswered = last?.role === 'assistant' && last.calls.length === 0
  const isInstruction = ({ role }: Message, index: number) => role === 'user' && !added.has(start + index)
  const at = isAnswered ? -1 : conversation.findLastIndex(isInstruction)
  return {
    system: read.slice(0, start < 0 ? read.length : start).map(message => message.text),
    history: (at < 0 ? conversation : conversation.slice(0, at)).map(toEntry),
    ...(at < 0 ? {} : { current: body(conversation[at]!) }),
    since: at < 0 ? [] : conversation.slice(at + 1).map(toEntry),
  }
}

function toEntry(message: Message): DumpEntry {
  return { label: labelOf(message), text: body(message) }
}

function labelOf({ role, results }: Message): string {
  switch (role) {
    case 'tool': {
      const names = results.map(result => result.name ?? result.callId).filter(name => name !== undefined)
      return ['TOOL', ...new Set(names)].join(' ')
    }
    case 'assistant_note':
      return 'NOTE TO SELF'
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

function show({ label, text }: DumpEntry): readonly string[] {
  return [`--- ${label} ---`, text]
}
