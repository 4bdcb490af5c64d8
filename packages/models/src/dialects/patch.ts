import type { Fields } from '@throughline/core/fields'

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
export interface Patch {
  /** The field of a body that holds its messages: `messages`. */
  readonly list: string
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
export function clearEntries(
  entries: readonly Fields[],
  written: readonly Fields[],
): readonly Fields[] {
  return written.map(line => {
    const entry = entries.findLast(one => kindOf(one) === kindOf(line)) ?? {}
    const kept = Object.entries(entry).filter(([name]) => !ofContent.has(name))
    return { ...Object.fromEntries(kept), ...line }
  })
}

const kindOf = ({ type = 'message', role }: Fields) => `${type} ${role}`

/** A number that is too large, as it may be. */
export function lower(body: Fields, name: string, most: number): Fields {
  const { [name]: value } = body
  return typeof value === 'number' && value > most ? { [name]: most } : {}
}

/** A system prompt that stands in a field of the body: a text, or blocks at Anthropic. */
export const promptIn = (
  field: 'system' | 'instructions',
): Pick<Patch, 'addSystem' | 'setSystem'> => ({
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

/** Of a list whose system prompt is its first message. */
export const chatPatch: Patch = {
  list: 'messages',
  addSystem: (body, head, text) => ({ body, head: [...head, system(text)] }),
  setSystem: (body, text) => ({ body, head: [system(text)] }),
  change: ([entry], [written]) => [{ ...entry, content: (written as Fields | undefined)?.content }],
  limit: (body, most) => ({
    ...lower(body, 'max_tokens', most),
    ...lower(body, 'max_completion_tokens', most),
  }),
}
