import { type Fields, isFields, parseBody, refuse } from '@throughline/core/fields'
import { sse } from '../../sse.ts'
import type { ChatRequest, NamedPast, ReplyStart } from '../adapter.ts'
import { responseId } from './ids.ts'
import { responseOf, thoughtMark } from './to-response.ts'

/** How a client asks to have its list compacted: with an item of it (Codex), or at an address of its own. */
export type CompactionWish = 'item' | 'address'

/** Opens our last compaction, in place of the items before it except system messages. Those of other servers are encrypted. */
export function openInput(list: readonly Fields[]) {
  const isWished = list.some(({ type }) => type === 'compaction_trigger')
  const at = list.findLastIndex(isOurs)
  if (at < 0) return { items: list, isWished, past: undefined }
  const { past, items } = unpack(
    String(list[at]!.encrypted_content),
    `input[${at}].encrypted_content`,
  )
  const systems = list.slice(0, at).filter(({ role }) => role === 'developer' || role === 'system')
  return { items: [...systems, ...items, ...list.slice(at + 1)], isWished, past }
}

const isOurs = ({ type, encrypted_content: packed }: Fields) =>
  (type === 'compaction' || type === 'compaction_summary') &&
  typeof packed === 'string' &&
  packed.startsWith(thoughtMark)

/** What stands for a list: where the log has most of it, and the items that it has not yet. */
export function pack(past: NamedPast | undefined, items: readonly Fields[]): string {
  return `${thoughtMark}${Buffer.from(JSON.stringify({ past, items })).toString('base64url')}`
}

/** A client may have written it itself: it is read like a body. */
function unpack(text: string, where: string) {
  const value = parseBody(Buffer.from(text.slice(thoughtMark.length), 'base64url'), limits)
  const { past, items } = isFields(value) ? value : ({} as Fields)
  const isList = Array.isArray(items) && items.every(isFields) && !items.some(isOurs)
  if (!isList || (past !== undefined && !isPast(past)))
    refuse(where, 'is damaged: send it as it was given')
  if (past === undefined) return { items }
  const { conversation, actor, branch, at } = past
  return { items, past: { conversation, actor, branch, at } }
}

const isPast = (value: unknown): value is NamedPast =>
  isFields(value) &&
  [value.conversation, value.actor, value.branch].every(name => typeof name === 'string') &&
  Number.isSafeInteger(value.at)

const limits = { maxDepth: 100, maxValues: 200_000 }

/** The answer with a compaction: in its own form, as a response, or as the stream of one. No model was asked. */
export function compactionAnswer(start: ReplyStart, packed: string, wish: CompactionWish) {
  const item = { id: `cmp_${start.id}`, type: 'compaction', encrypted_content: packed }
  const [output, usage] = [[item], noUsage]
  const json = (value: object) => ({ type: 'application/json', text: JSON.stringify(value) })
  if (wish === 'address') {
    const head = { id: responseId(start.id), object: 'response.compaction' }
    return json({ ...head, created_at: Math.floor(start.time / 1000), output, usage })
  }
  const response = responseOf(start, { status: 'completed', output, usage })
  if (!start.request.stream) return json(response)
  const events = [
    ['created', { response: responseOf(start, {}) }],
    ['output_item.added', { output_index: 0, item }],
    ['output_item.done', { output_index: 0, item }],
    ['completed', { response }],
  ] as const
  const text = events.map(([name, fields], at) =>
    sse({ type: `response.${name}`, sequence_number: at, ...fields }, `response.${name}`),
  )
  return { type: 'text/event-stream', text: text.join('') }
}

const noUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
}

/** Whether a request wants its list compacted, and how. */
export const wishOf = ({ hints }: ChatRequest) => hints.compaction as CompactionWish | undefined
