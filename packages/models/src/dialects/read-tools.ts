import { type Fields, read, refuse } from '@throughline/core/fields'
import type { ToolSpec } from '../model.ts'
import { readOnce, refuseElsewhere } from './own-form.ts'

/** Reads tools as Ollama and OpenAI's chat completions have them: `{ type: 'function', function }`. */
export const readFunctionTools = toolReader(({ type = 'function', function: spec }, where) => {
  if (type === 'function')
    return [toToolSpec(read.fields(spec, `${where}.function`), `${where}.function`)]
  refuseElsewhere(`${where}.type`, 'must be "function": other tools are not supported')
  return []
})

/** Makes a reader of `tools`. Most requests bring the tools of the one before. */
export function toolReader(toSpecs: (tool: Fields, where: string) => readonly ToolSpec[]) {
  const once = readOnce(value => read.each(value, 'tools', toSpecs).flat())
  return (value: unknown) => once(value, 0)
}

/** A tool from its fields. The arguments have another name on each adapter. */
export function toToolSpec(fields: Fields, where: string, schema = 'parameters'): ToolSpec {
  const name = readName(fields.name, `${where}.name`)
  const description = read.optional(fields.description, `${where}.description`, read.text)
  const parameters = read.optional(fields[schema], `${where}.${schema}`, read.jsonFields)
  return { name, description, parameters: parameters ?? { type: 'object', properties: {} } }
}

export const readName = (value: unknown, field: string): string =>
  read.text(value, field) || refuse(field, 'must not be empty')
