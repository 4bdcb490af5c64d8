import type { MessageLike } from '../../log/message.ts'

interface Output {
  readonly type?: unknown
  readonly value?: unknown
}

interface Part {
  readonly type?: unknown
  readonly text?: unknown
  readonly output?: Output
}

/** The type of the part that stands for the JSON around a result. Counted, never sent. */
const weight = 'throughline-weight'

const origin: unique symbol = Symbol('origin')

interface Weighed extends MessageLike {
  readonly [origin]?: MessageLike
}

interface Known {
  readonly looks: readonly unknown[]
  readonly weighed: Weighed
}

/** A message is weighed once, so that its count is remembered with the object. */
const known = new WeakMap<MessageLike, Known>()

/**
 * Adds a part to a tool result that is a list of parts (all of MCP's are), because most providers send it as JSON: the part
 * costs as much as the brackets and escapes. Other messages stay as they are.
 */
export function weighResults<M extends MessageLike>(message: M): M {
  const { role, content } = message ?? {}
  if (role !== 'tool' || !Array.isArray(content) || !content.some(isList)) return message
  const looks = [content, ...content.flatMap((part: Part | null) => [part, part?.output])]
  const before = known.get(message)
  if (before?.looks.length === looks.length && before.looks.every((look, at) => look === looks[at]))
    return before.weighed as M
  const added = content.filter(isList).map(part => ({ type: weight, json: around(part.output?.value) }))
  const weighed = { ...message, content: [...content, ...added], [origin]: message }
  known.set(message, { looks, weighed })
  return weighed
}

/** The message before it was weighed, with its texts as they were cut since. */
export function unweighed<M extends MessageLike>(message: M): M {
  const { [origin]: source } = message as Weighed
  if (source === undefined) return message
  if (known.get(source)?.weighed === message) return source as M
  const { [origin]: _, ...rest } = message as M & Weighed
  return { ...rest, content: (message.content as Part[]).filter(part => part.type !== weight) } as M
}

function isList(part: Part | null): part is Part {
  return part?.type === 'tool-result' && part.output?.type === 'content' && Array.isArray(part.output.value)
}

/** What JSON adds to the texts. Bytes are left out: images are counted apart. */
function around(value: unknown): string {
  const parts = value as readonly (Part | null)[]
  const empty = JSON.stringify(parts.map(part => ({ type: part?.type, text: '' })))
  const texts = parts.map(part => (typeof part?.text === 'string' ? part.text : ''))
  const escapes = texts.reduce((sum, text) => sum + JSON.stringify(text).length - 2 - text.length, 0)
  return empty + '\\ '.repeat(escapes)
}
