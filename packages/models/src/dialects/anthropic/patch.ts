import type { Fields } from '@throughline/core/fields'
import { isObject } from '@throughline/core/values'
import { type Patch, promptIn } from '../patch.ts'
import { ownSignature } from './write-reply.ts'

export const patch: Patch = {
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
    const all = [
      ...blocks.slice(0, at).filter(isKept),
      ...texts,
      ...blocks.slice(at).filter(isKept),
    ]
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
