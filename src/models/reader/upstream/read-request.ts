import type { MessageLike } from '../../../log/message.ts'
import type { ToolSpec } from '../../model.ts'
import type { Body } from './upstream.ts'

/** Reads the messages; absent ones are an empty list. A value that is no list becomes one invalid message. */
export function readMessages({ messages }: Body): readonly MessageLike[] {
  if (messages === undefined || messages === null) return []
  return (Array.isArray(messages) ? messages : [messages]) as readonly MessageLike[]
}

/** Reads tools, which both protocols write as `{ type: 'function', function: { name, description, parameters } }`. */
export function readTools({ tools }: Body): readonly ToolSpec[] {
  const list = Array.isArray(tools) ? (tools as readonly { function?: Partial<ToolSpec> }[]) : []
  return list.flatMap(tool => {
    const { name, description, parameters } = tool?.function ?? {}
    if (typeof name !== 'string') return []
    return [{ name, parameters: parameters ?? {}, ...(description === undefined ? {} : { description }) }]
  })
}

/** A number above 0, else undefined: `num_predict: -1` means as much as fits. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : undefined
}

export function readStop(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter(word => typeof word === 'string')
}
