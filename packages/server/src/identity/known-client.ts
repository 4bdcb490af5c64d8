import { BadRequestError } from '@throughline/core/errors'
import { parseJsonObject } from '@throughline/core/values'
import type { ChatRequest } from '@throughline/models/dialects'
import { clientMessage } from './client-message.ts'

/** The headers of a request, with names in lower case. */
export type HeadersOf = Readonly<Record<string, string | undefined>>

export interface NamedConversation {
  readonly conversation: string
  readonly actor: string
  /** How the client named it, for people: `the header thread-id of Codex`. */
  readonly how: string
  /** Whether the body holds only what is new. */
  readonly isDelta: boolean
}

export function knownClient(
  request: ChatRequest,
  headers: HeadersOf,
): NamedConversation | undefined {
  const named = (name: string) => nameIn(headers[name], `The header ${name}`, name)
  const conversation = named('x-throughline-conversation')
  if (conversation !== undefined) {
    const actor = named('x-throughline-actor') ?? 'assistant'
    const isDelta = headers['x-throughline-history'] !== 'full'
    return { conversation, actor, how: 'the header x-throughline-conversation', isDelta }
  }
  const inBody = nameIn(request.named.conversation, 'The field "conversation"', 'conversation')
  if (inBody !== undefined)
    return {
      conversation: inBody,
      actor: 'assistant',
      how: 'the field "conversation"',
      isDelta: true,
    }
  for (const { client, id, actor, parent } of clients) {
    const name = id.find(name => named(name) !== undefined)
    if (name === undefined) continue
    const value = named(name)!
    // Open WebUI gives all temporary chats of a tab the same kind of id.
    if (client === 'open-webui' && value.startsWith('local:')) continue
    const firstOf = (names: readonly string[] = []) =>
      names.map(named).find(one => one !== undefined)
    // A subagent has a name like a conversation. It is an actor in the conversation that started it.
    const root =
      firstOf(parent?.id) === undefined ? undefined : firstOf([...parent!.root, ...parent!.id])
    const agent = root === undefined || root === value ? firstOf(actor) : value
    return whole(client, root ?? value, `the header ${name}`, agent)
  }
  const vendor = Object.keys(headers).find(
    name => /^x-[a-z0-9]{1,40}-session-id$/.test(name) && named(name) !== undefined,
  )
  if (vendor !== undefined)
    return whole(vendor.slice(2, -'-session-id'.length), named(vendor)!, `the header ${vendor}`)
  const session = sessionOf(request.named.user)
  return session === undefined ? undefined : whole('claude-code', session, 'metadata.user_id')
}

/** A conversation of which the client sends all. */
const whole = (
  client: string,
  name: string,
  how: string,
  actor = 'assistant',
): NamedConversation => ({
  conversation: `${client}:${name}`,
  actor,
  how,
  isDelta: false,
})

/** Clients that name their conversation in a header, and send all of it every time. */
const clients: readonly {
  readonly client: string
  readonly id: readonly string[]
  /** Headers that name the agent inside of the conversation. */
  readonly actor?: readonly string[]
  /** For clients whose subagents have an id of their own. */
  readonly parent?: {
    /** Headers that only a subagent sends: who started it. */
    readonly id: readonly string[]
    /** Headers that name the first conversation, where subagents start others. */
    readonly root: readonly string[]
  }
}[] = [
  { client: 'open-webui', id: ['x-openwebui-chat-id'] },
  {
    client: 'codex',
    id: ['thread-id', 'conversation_id'],
    actor: ['x-openai-subagent'],
    parent: { id: ['x-codex-parent-thread-id'], root: ['session-id'] },
  },
  { client: 'claude-code', id: ['x-claude-code-session-id'], actor: ['x-claude-code-agent-id'] },
  { client: 'goose', id: ['agent-session-id'] },
  { client: 'litellm', id: ['x-litellm-session-id'] },
  { client: 'chat-ui', id: ['chatui-conversation-id'] },
  { client: 'llama-ui', id: ['x-conversation-id'] },
  { client: 'session', id: ['x-session-id'], parent: { id: ['x-parent-session-id'], root: [] } },
]

/** Claude Code's `…_session_<id>`, or a JSON with `session_id`. */
export function sessionOf(user: string | undefined): string | undefined {
  if (user === undefined || user.length > 2000) return undefined
  if (user.startsWith('{')) {
    const { session_id: id } = parseJsonObject(user) ?? {}
    return typeof id === 'string' ? clean(id) : undefined
  }
  const at = user.lastIndexOf('_session_')
  return at < 0 ? undefined : clean(user.slice(at + '_session_'.length))
}

/**
 * The name that a client gives. One that cannot be kept is refused: taken for none, it would let the request count as that of
 * another conversation or person.
 */
export function nameIn(value: string | undefined, what: string, field: string): string | undefined {
  if (!value?.trim()) return undefined
  const name = clean(value)
  if (name === undefined) throw new BadRequestError(`${what} must be ${usableName}.`, field)
  return name
}

export const usableName = 'a name of at most 300 characters on one line'

/** A name that can be kept: not empty, not too long, no control characters. */
export function clean(value: string | undefined): string | undefined {
  const name = value?.trim()
  return name && name.length <= 300 && !/\p{Cc}/u.test(name) ? name : undefined
}

/** Why a request is for something beside the conversation, as known clients ask for titles and summaries. Else undefined. */
export function sideRequest(request: ChatRequest, headers: HeadersOf): string | undefined {
  for (const name of taskHeaders) {
    const value = headers[name]
    if (value !== undefined && value.trim() !== '')
      return `the header ${name} says "${value.slice(0, 60)}"`
  }
  const turn = headers['x-codex-turn-metadata']
  if (turn !== undefined && /"request_kind"\s*:\s*"(compaction|title)/.test(turn.slice(0, 10_000)))
    return 'x-codex-turn-metadata names its kind'
  const first = request.messages[0]
  const last = request.messages.at(-1)
  if (!first || !last) return undefined
  const texts = {
    system: beginningsOf(request.system ?? ''),
    first: beginningsOf(clientMessage(first, 0).reading.text).slice(0, 1),
    last: beginningsOf(clientMessage(last, 0).reading.text).slice(0, 1),
  }
  for (const { where, words, client, isAlone = false, hasTools = false } of wordings) {
    if (isAlone && request.messages.length > 1) continue
    // A request with tools is an agent at work, except for the few that are known to be sent with them.
    if (!hasTools && request.tools.length > 0) continue
    if (words.some(word => texts[where].some(text => text.startsWith(word))))
      return `it is worded like a task of ${client}`
  }
  return undefined
}

const taskHeaders = ['x-openwebui-task', 'x-throughline-task']

/** The first paragraphs of a text. The blocks of a system prompt are paragraphs: some clients put their name before the task. */
const beginningsOf = (text: string): readonly string[] =>
  text
    .slice(0, 1000)
    .split('\n\n', 4)
    .map(part => part.trimStart())

/** How side requests begin. */
const wordings: readonly {
  /** `last` ends a whole history, so it extends the conversation. */
  readonly where: 'system' | 'first' | 'last'
  readonly words: readonly string[]
  readonly client: string
  readonly isAlone?: boolean
  /** Whether it comes with the tools of the conversation, or with some of its own. */
  readonly hasTools?: boolean
}[] = [
  { where: 'last', words: ['### Task:'], client: 'Open WebUI', isAlone: true },
  { where: 'system', words: ['You are a title generator'], client: 'opencode' },
  { where: 'first', words: ['Generate a title for this conversation:'], client: 'opencode' },
  {
    where: 'last',
    words: [
      'Generate a concise 3-7 word title for this conversation',
      'Generate a detailed summary of this conversation',
    ],
    client: 'Zed',
  },
  { where: 'last', words: ['You are performing a CONTEXT CHECKPOINT COMPACTION'], client: 'Codex' },
  { where: 'last', words: ['---BEGIN USER MESSAGES---'], client: 'Goose', isAlone: true },
  {
    where: 'last',
    words: ['Given the following... please reply with a title'],
    client: 'Continue',
  },
  {
    where: 'system',
    words: ['Generate a concise, sentence-case title'],
    client: 'Claude Code',
    isAlone: true,
  },
  {
    where: 'last',
    words: [
      '[SUGGESTION MODE: Suggest what the user might naturally type next',
      'The user stepped away and is coming back. Recap in under 40 words',
      'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.',
    ],
    client: 'Claude Code',
    hasTools: true,
  },
  {
    where: 'system',
    words: ['You are now acting as the managed memory extraction subagent'],
    client: 'Qwen Code',
    hasTools: true,
  },
]
