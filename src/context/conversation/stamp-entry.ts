import type { MessageLike } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import { stampMessage } from './stamp.ts'
import type { Entry } from './unit.ts'

export function stampEntry<M extends MessageLike>(source: M, seq: number, count: TokenCounter): Entry<M> {
  const stamp = stampMessage(source, seq, count)
  const { message, tokens, raw = source } = stamp
  return { source, raw: raw as M, message, role: message.role, tokens, stamp }
}
