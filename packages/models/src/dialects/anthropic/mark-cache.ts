import type { Fields } from '@throughline/core/fields'
import { isObject } from '@throughline/core/values'

/** `cache_control`: Anthropic keeps what it has read up to the end of the block, for five minutes or as long as `ttl` says. */
export interface CacheMark {
  readonly type: 'ephemeral'
  readonly ttl?: '1h'
}

/** The tools, the system prompt or one message, with the marks that the client has set in it. */
export interface CacheSection {
  readonly role: unknown
  readonly marks: readonly unknown[]
}

/** A request with more marks is refused. */
const mostMarks = 4

/** How many blocks before a mark Anthropic looks at for what it has kept. */
const back = 20

/** Marks the newest message, the end of the last request, the end of tools and system prompt, and the middle of a long list. */
export function chooseMarks(sections: readonly CacheSection[]): ReadonlyMap<number, CacheMark> {
  const added = new Map<number, CacheMark>()
  const newest = sections.length - 1
  const reply = sections.findLastIndex(({ role }, at) => role === 'assistant' && at < newest)
  // A first message without tools may be the only one: keeping it costs more.
  if (reply < 0 && sections[0]?.role !== 'tools') return added
  const message = sections.findIndex(({ role }) => role !== 'tools' && role !== 'system')
  const middle = (message + newest) >> 1
  const marks = sections.map(section => section.marks.filter(isObject))
  // A mark that lasts an hour must not stand behind a shorter one.
  const lastLong = marks.findLastIndex(list => list.some(({ ttl }) => ttl === '1h'))
  let free = mostMarks - marks.flat().length
  for (const at of [newest, reply - 1, message - 1, newest - middle > back ? middle : -1]) {
    if (free <= 0 || at < 0 || added.has(at) || marks[at]!.length > 0) continue
    added.set(at, at < lastLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' })
    free -= 1
  }
  return added
}

/** The body of `/v1/messages` with our marks. What gets none stays the client's own object. */
export function markCache(body: Fields): Fields {
  const marked: Record<string, unknown> = { ...body }
  const messages = Array.isArray(body.messages) ? [...(body.messages as readonly unknown[])] : []
  const heads = ['tools', 'system'].filter(name => blocksOf(body[name]).length > 0)
  const places = [
    ...heads.map(role => ({
      ...{ role, blocks: blocksOf(body[role]) },
      put: (blocks: readonly unknown[]) => {
        marked[role] = blocks
      },
    })),
    ...messages.map((message, at) => {
      const { role, content } = isObject(message) ? message : ({} as Fields)
      const put = (blocks: readonly unknown[]) => {
        messages[at] = { ...(message as Fields), content: blocks }
      }
      return { role, blocks: blocksOf(content), put }
    }),
  ]
  const sections = places.map(({ role, blocks }, at) => ({
    role,
    marks: [
      ...blocks.map(block => (isObject(block) ? block.cache_control : undefined)),
      // A mark of the whole request stands at its end.
      ...(at === places.length - 1 ? [body.cache_control] : []),
    ],
  }))
  for (const [at, mark] of chooseMarks(sections)) {
    const { blocks, put } = places[at]!
    const last = blocks.findLastIndex(canBeMarked)
    if (last >= 0) put(blocks.with(last, { ...(blocks[last] as Fields), cache_control: mark }))
  }
  return messages.length > 0 ? { ...marked, messages } : marked
}

/** The blocks of a content; a text alone is one block. */
function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string')
    return content.trim() === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : []
}

/** Anthropic refuses a mark on a thought and on an empty text. Tools have a name, and often no type. */
function canBeMarked(block: unknown): boolean {
  if (!isObject(block)) return false
  const { type, text, name } = block
  if (type === 'text') return typeof text === 'string' && text.trim() !== ''
  return markable.has(type) || (typeof name === 'string' && type !== 'server_tool_use')
}

const markable: ReadonlySet<unknown> = new Set(['image', 'document', 'tool_use', 'tool_result'])
