import { optional, readBody, readEach, readFields, readText } from '../../log/fields.ts'
import type { ToolSpec } from '../../models/model.ts'
import { toToolSpec } from '../adapters/read-tools.ts'

/** What a client of the server may choose, beside what `useChat` sends. */
export interface UIOptions {
  /** Default: the first model of the upstream. */
  readonly model: string | undefined
  readonly system: string | undefined
  /** The tools that the client runs. */
  readonly tools: readonly ToolSpec[]
}

export function readUIOptions(value: unknown): UIOptions {
  const { model, system, tools } = readBody(value)
  return {
    model: optional(model, 'model', readText),
    system: optional(system, 'system', readText),
    tools: readUITools(tools),
  }
}

/** Tools as `{ name, description, parameters }`, or as OpenAI writes them. */
const readUITools = (value: unknown): readonly ToolSpec[] =>
  readEach(value, 'tools', (fields, where) => {
    if (fields.function !== undefined)
      return toToolSpec(readFields(fields.function, `${where}.function`), `${where}.function`)
    return toToolSpec(fields, where, fields.inputSchema === undefined ? 'parameters' : 'inputSchema')
  })
