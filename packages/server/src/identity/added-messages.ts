import {
  acknowledgement,
  actionsTitle,
  artifactTitle,
  changingTitle,
  type Message,
  type MessageLike,
  markerText,
  notesTitle,
  previousActionsTitle,
  recallTitle,
  rulesTitle,
} from '@throughline/core/messages'
import type { ClientMessage } from './client-message.ts'

/** The places of whole messages that `fit` added at the client. Never of the last one: it may be what a user says now. */
export function addedMessages(messages: readonly ClientMessage[]): ReadonlySet<number> {
  const places = new Set<number>()
  const kinds = new Map<number, AddedKind>()
  for (let at = 0; at < messages.length - 1; at++) {
    const kind = kindOf(messages[at]!)
    if (kind) kinds.set(at, kind)
  }
  if (kinds.size === 0) return places
  const read = (at: number) => messages[at]!.reading
  // The changing lines of a system prompt stand before a user message, or between two rounds, also where nothing was left out.
  const isBetween = (at: number) =>
    at > 0 && read(at - 1).role === 'tool' && read(at + 1).calls.length > 0
  for (const [at, kind] of kinds)
    if (
      kind === 'rules'
        ? isAtFront(at)
        : kind === 'changing' && (isBetween(at) || read(at + 1).role === 'user')
    )
      places.add(at)
  const first = messages.findIndex((_, at) => read(at).role === 'user' && !places.has(at))
  if (first < 0 || kinds.has(first)) return places
  let at = first + 1
  const apart = new Set(places)
  for (; kinds.has(at) || isAnswer(at); at++) places.add(at)
  // Right behind the first user message stands what was left out. Without that nothing was, and nothing was recalled.
  if (!['marker', 'digests'].some(kind => [...places].some(at => kinds.get(at) === kind)))
    return apart
  for (const [at, kind] of kinds) {
    // A block stands before the user message that asks for it, the journal of a turn behind its user message or its first round.
    const isBefore = kind !== 'actions' && read(at + 1).role === 'user'
    if (
      isBefore ||
      ((kind === 'actions' || kind === 'journal') && (isBehindUser(at) || isBetween(at)))
    )
      places.add(at)
  }
  return places

  /** Whether only the system prompt stands before a message, and then the first user message. */
  function isAtFront(at: number): boolean {
    return (
      at <= mostSystems &&
      read(at + 1).role === 'user' &&
      messages.slice(0, at).every((_, n) => read(n).role === 'system')
    )
  }

  /** Whether a message follows what a user has said, or the few system messages of a program behind that. */
  function isBehindUser(at: number): boolean {
    let before = at - 1
    while (before >= Math.max(0, at - mostSystems) && read(before).role === 'system') before -= 1
    return before >= 0 && !kinds.has(before) && read(before).role === 'user'
  }

  /** Where roles must take turns, a digest is answered. */
  function isAnswer(at: number): boolean {
    return places.has(at - 1) && at < messages.length - 1 && isAcknowledgement(read(at))
  }
}

/** So that a hostile list of nothing but system messages is not read again for each of them. */
const mostSystems = 8

type AddedKind =
  | 'rules'
  | 'changing'
  | 'marker'
  | 'notes'
  | 'digests'
  | 'journal'
  | 'actions'
  | 'block'

/** Of a long list most messages come again, as the same objects. */
const kindsOf = new WeakMap<MessageLike, AddedKind | null>()

function kindOf({ source, reading }: ClientMessage): AddedKind | undefined {
  const cached = kindsOf.get(source)
  if (cached !== undefined) return cached ?? undefined
  const kind = readKind(reading)
  kindsOf.set(source, kind ?? null)
  return kind
}

function readKind({ role, text, calls, media }: Message): AddedKind | undefined {
  if ((role !== 'user' && role !== 'system') || calls.length > 0 || media > 0) return undefined
  if (!text.startsWith('[') && !text.startsWith(notesTitle)) return undefined
  if (text === markerText) return 'marker'
  const [title = '', ...lines] = text.split('\n')
  if (text.startsWith(digestOpening))
    return [title, ...lines].every(isDigest) ? 'digests' : undefined
  if (title.startsWith(`${previousActionsTitle} `))
    return [title.slice(previousActionsTitle.length + 1), ...lines].every(isAction)
      ? 'journal'
      : undefined
  if (lines.length === 0) return undefined
  if (title === actionsTitle) return lines.every(isAction) ? 'actions' : undefined
  if (title === recallTitle) return /^#\d{1,9} [a-z]/.test(lines[0]!) ? 'block' : undefined
  if (title === artifactTitle) return 'block'
  if (title === rulesTitle) return lines[0]!.startsWith('- ') ? 'rules' : undefined
  if (title === changingTitle) return 'changing'
  return title === notesTitle ? 'notes' : undefined
}

const digestOpening = '[Previous: "'

const isDigest = (line: string) =>
  line.startsWith(digestOpening) && line.includes('" → ') && line.endsWith(']')

const isAction = (line: string) => /^(?:\d{1,9}\. \[|\(\.\.\. and \d)/.test(line)

const isAcknowledgement = ({ role, text }: Message) =>
  role === 'assistant' && text === acknowledgement
