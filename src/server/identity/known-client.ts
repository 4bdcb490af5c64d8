import type { ChatRequest } from '../adapters/adapter.ts'

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

export function knownClient(request: ChatRequest, headers: HeadersOf): NamedConversation | undefined {
  const conversation = clean(headers['x-throughline-conversation'])
  if (conversation !== undefined) {
    const actor = clean(headers['x-throughline-actor']) ?? 'assistant'
    const isDelta = headers['x-throughline-history'] !== 'full'
    return { conversation, actor, how: 'the header x-throughline-conversation', isDelta }
  }
  const inBody = clean(request.named.conversation)
  if (inBody !== undefined)
    return { conversation: inBody, actor: 'assistant', how: 'the field "conversation"', isDelta: true }
  for (const { client, id, actor, parent } of clients) {
    const name = id.find(name => clean(headers[name]) !== undefined)
    if (name === undefined) continue
    const value = clean(headers[name])!
    // Open WebUI gives all temporary chats of a tab the same kind of id.
    if (client === 'open-webui' && value.startsWith('local:')) continue
    const firstOf = (names: readonly string[] = []) =>
      names.map(one => clean(headers[one])).find(one => one !== undefined)
    // A subagent has a name like a conversation. It is an actor in the conversation that started it.
    const root = firstOf(parent?.id) === undefined ? undefined : firstOf([...parent!.root, ...parent!.id])
    const agent = root === undefined || root === value ? firstOf(actor) : value
    return whole(client, root ?? value, `the header ${name}`, agent)
  }
  const vendor = Object.keys(headers).find(
    name => /^x-[a-z0-9]{1,40}-session-id$/.test(name) && clean(headers[name]),
  )
  if (vendor !== undefined)
    return whole(vendor.slice(2, -'-session-id'.length), clean(headers[vendor])!, `the header ${vendor}`)
  const session = sessionOf(request.named.user)
  return session === undefined ? undefined : whole('claude-code', session, 'metadata.user_id')
}

/** A conversation of which the client sends all. */
const whole = (client: string, name: string, how: string, actor = 'assistant'): NamedConversation => ({
  ...{ conversation: `${client}:${name}`, actor, how, isDelta: false },
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
    try {
      const { session_id: id } = JSON.parse(user) as { session_id?: unknown }
      return typeof id === 'string' ? clean(id) : undefined
    } catch {
      return undefined
    }
  }
  const at = user.lastIndexOf('_session_')
  return at < 0 ? undefined : clean(user.slice(at + '_session_'.length))
}

/** A name that can be kept: not empty, not too long, no control characters. */
export function clean(value: string | undefined): string | undefined {
  const name = value?.trim()
  return name && name.length <= 300 && !/\p{Cc}/u.test(name) ? name : undefined
}
