import type { Fields } from '../../log/fields.ts'
import { isObject } from '../../log/values.ts'
import { ownSignature } from '../../models/dialects/anthropic/messages-adapter.ts'
import { thoughtMark } from '../../models/dialects/responses/to-response.ts'
import type { Form } from '../../models/wire/wire.ts'

/** What the fit of a request says about its fields. */
export interface Fit {
  /** Undefined while it is unknown. */
  readonly window: number | undefined
  /** Whether the upstream takes this window by itself, so that no request need name it. */
  readonly isUnasked?: boolean
  /** Whether the list is sent as its client wrote it. */
  readonly isOwn: boolean
  readonly tokens: number
  /** The most tokens of the reply: as many as the client allows and the window has left. */
  readonly most?: number | undefined
  /** The tools in the order in which they are sent. */
  readonly tools?: readonly unknown[] | undefined
  /** Whether their descriptions had to be shortened. */
  readonly isShort?: boolean
  /** The slot of llama.cpp that has the conversation. */
  readonly slot?: unknown
}

/** How a form writes what may have to change in a body. */
export interface BodyRules {
  readonly list: 'messages' | 'input'
  /** Says more in the system prompt, which the client's list begins with or a field holds. */
  addSystem(body: Fields, head: readonly object[], text: string): WrittenBody
  setSystem(body: Fields, text: string): WrittenBody
  /** The entries of a message whose text was changed: what is signed or encrypted stays as it is. */
  change(entries: readonly Fields[], written: readonly object[]): readonly object[]
  /** The fields that must be different whatever is sent. */
  always?(body: Fields, fit: Fit): Fields
  /** The fields that hold the most tokens of a reply, where the client allows more. */
  limit(body: Fields, most: number): Fields
  /** Whether an entry is sent although the message that it stands before is not. */
  isAlways?(entry: Fields): boolean
  /** Whether an entry holds what we have signed ourselves, which the upstream would refuse. */
  isForeign?(entry: Fields): boolean
}

interface WrittenBody {
  readonly body: Fields
  readonly head: readonly object[]
}

/** Fields that hold what was said, thought or shown. An id is of the whole: OpenAI refuses one whose thoughts are missing. */
const ofContent = new Set([
  'content',
  'output',
  'images',
  'annotations',
  'id',
  'thinking',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
])

/** The line that stands for a client's entries or blocks, with the fields of that entry which are not its content. */
export function clearEntries(entries: readonly Fields[], written: readonly Fields[]): readonly Fields[] {
  return written.map(line => {
    const entry = entries.findLast(one => kindOf(one) === kindOf(line)) ?? {}
    const kept = Object.entries(entry).filter(([name]) => !ofContent.has(name))
    return { ...Object.fromEntries(kept), ...line }
  })
}

const kindOf = ({ type = 'message', role }: Fields) => `${type} ${role}`

/** A number that is too large, as it may be. */
function lower(body: Fields, name: string, most: number): Fields {
  const { [name]: value } = body
  return typeof value === 'number' && value > most ? { [name]: most } : {}
}

/** A system prompt that stands in a field of the body: a text, or blocks at Anthropic. */
const promptIn = (field: 'system' | 'instructions'): Pick<BodyRules, 'addSystem' | 'setSystem'> => ({
  addSystem(body, head, text) {
    const { [field]: prompt } = body
    if (Array.isArray(prompt))
      return { body: { ...body, [field]: [...prompt, { type: 'text', text }] }, head }
    const whole = typeof prompt === 'string' && prompt !== '' ? `${prompt}\n\n${text}` : text
    return { body: { ...body, [field]: whole }, head }
  },
  setSystem: (body, text) => ({ body: { ...body, [field]: text }, head: [] }),
})

const system = (content: string) => ({ role: 'system', content })

const chat: BodyRules = {
  list: 'messages',
  addSystem: (body, head, text) => ({ body, head: [...head, system(text)] }),
  setSystem: (body, text) => ({ body, head: [system(text)] }),
  change: ([entry], [written]) => [{ ...entry, content: (written as Fields | undefined)?.content }],
  limit: (body, most) => ({
    ...lower(body, 'max_tokens', most),
    ...lower(body, 'max_completion_tokens', most),
  }),
}

const ollama: BodyRules = {
  ...chat,
  limit: () => ({}),
  change: ([entry = {}], [written]) => {
    const { images: _, ...rest } = entry
    const { content, images } = (written ?? {}) as Fields
    return [{ ...rest, content, ...(images !== undefined && { images }) }]
  },
  // Another window would load the model again, and Ollama cuts what does not fit in silence.
  always(body, { window, isUnasked, isOwn, tokens, most = Number.POSITIVE_INFINITY }) {
    const options = isObject(body.options) ? body.options : {}
    const isSafe = isOwn && (window !== undefined || tokens <= leastWindow)
    const isNamed = options.num_ctx !== undefined || !isSafe || !isUnasked
    const changed = {
      ...lower(options, 'num_predict', most),
      ...(isNamed && options.num_ctx !== window && { num_ctx: window }),
    }
    return {
      ...(Object.keys(changed).length > 0 && { options: { ...options, ...changed } }),
      ...(isSafe || body.truncate === false ? {} : { truncate: false }),
      ...(isSafe || body.shift === false ? {} : { shift: false }),
    }
  },
}

/** Every Ollama takes as many tokens by itself. */
const leastWindow = 2048

const messages: BodyRules = {
  list: 'messages',
  ...promptIn('system'),
  change([entry = {}], [written]) {
    const { content } = (written ?? {}) as { readonly content?: readonly Fields[] }
    if (entry.role !== 'assistant' || !Array.isArray(entry.content) || !content)
      return written ? [written] : []
    const blocks = entry.content as readonly Fields[]
    const first = blocks.findIndex(({ type }) => type === 'text')
    const at = first < 0 ? blocks.length : first
    const texts = content.filter(({ type }) => type === 'text')
    const isKept = ({ type }: Fields) => type !== 'text'
    const all = [...blocks.slice(0, at).filter(isKept), ...texts, ...blocks.slice(at).filter(isKept)]
    return [{ ...entry, content: all }]
  },
  // Prompt and reply together must fit, or the request is refused.
  limit({ max_tokens: most, thinking }, room) {
    if (typeof most !== 'number' || most <= room) return {}
    const budget = isObject(thinking) ? thinking.budget_tokens : undefined
    if (typeof budget !== 'number' || budget < room) return { max_tokens: room }
    return {
      max_tokens: room,
      thinking: { ...(thinking as Fields), budget_tokens: Math.max(1024, room - 1) },
    }
  },
  isForeign: ({ role, content }) =>
    role === 'assistant' && Array.isArray(content) && content.some(isOwnThought),
}

const isOwnThought = (block: unknown) =>
  isObject(block) && block.type === 'thinking' && block.signature === ownSignature

const responses: BodyRules = {
  list: 'input',
  ...promptIn('instructions'),
  change(entries, written) {
    const isSaid = (entry: object) => ((entry as Fields).type ?? 'message') === 'message'
    const first = entries.findIndex(isSaid)
    if (first < 0) return entries.length > 1 ? entries : written
    return [
      ...entries.slice(0, first),
      ...written.filter(isSaid),
      ...entries.slice(first).filter(entry => !isSaid(entry)),
    ]
  },
  limit: (body, most) => lower(body, 'max_output_tokens', most),
  // What these name is in our log, and comes with the list.
  always: body => ({
    ...(body.previous_response_id !== undefined && { previous_response_id: undefined }),
    ...(body.conversation !== undefined && { conversation: undefined }),
  }),
  isAlways: ({ type }) => type === 'additional_tools',
  isForeign: ({ type, encrypted_content: kept }) =>
    type === 'reasoning' && typeof kept === 'string' && kept.startsWith(thoughtMark),
}

export const bodyRules: Readonly<Record<Form, BodyRules>> = { chat, ollama, messages, responses }
