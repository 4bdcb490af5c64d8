import type { MessageLike } from '../../../log/message.ts'
import type { ToolSpec } from '../../model.ts'
import type { Body } from './upstream.ts'

/** Absent messages are none; what is no list is left for the reader to refuse, as one message that is none. */
export function readMessages({ messages }: Body): readonly MessageLike[] {
  if (messages === undefined || messages === null) return []
  return (Array.isArray(messages) ? messages : [messages]) as readonly MessageLike[]
}

/** Both protocols write tools alike: `{ type: 'function', function: { name, description, parameters } }`. */
export function readTools({ tools }: Body): readonly ToolSpec[] {
  const list = Array.isArray(tools) ? (tools as readonly { function?: Partial<ToolSpec> }[]) : []
  return list.flatMap(tool => {
    const { name, description, parameters } = tool?.function ?? {}
    if (typeof name !== 'string') return []
    return [{ name, parameters: parameters ?? {}, ...(description === undefined ? {} : { description }) }]
  })
}

/** A number above 0, or undefined: `num_predict: -1` means as much as fits. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : undefined
}

export function readStop(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter(word => typeof word === 'string')
}
