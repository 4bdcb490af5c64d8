import { read } from '../../log/fields.ts'
import type { ToolSpec } from '../../models/model.ts'
import { toToolSpec } from '../adapters/read-tools.ts'

/** What a client of the server may choose, beside what `useChat` sends. */
export interface UIOptions {
  /** Default: the first model of the upstream. */
  readonly model: string | undefined
  readonly system: string | undefined
  readonly tools: readonly ToolSpec[]
}

export function readUIOptions(value: unknown): UIOptions {
  const { model, system, tools } = read.body(value)
  return {
    model: read.optional(model, 'model', read.text),
    system: read.optional(system, 'system', read.text),
    tools: readUITools(tools),
  }
}

/** Tools as `{ name, description, parameters }`, or as OpenAI writes them. */
const readUITools = (value: unknown): readonly ToolSpec[] =>
  read.each(value, 'tools', (fields, where) => {
    if (fields.function !== undefined)
      return toToolSpec(read.fields(fields.function, `${where}.function`), `${where}.function`)
    return toToolSpec(fields, where, fields.inputSchema === undefined ? 'parameters' : 'inputSchema')
  })
