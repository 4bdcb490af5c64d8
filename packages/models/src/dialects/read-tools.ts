import { type Fields, read, refuse } from '@throughline/core/fields'
import type { ToolSpec } from '../model.ts'
import { refuseElsewhere } from './own-form.ts'
import { readOnce } from './read-once.ts'

/** Reads tools as Ollama and OpenAI's chat completions have them: `{ type: 'function', function }`. */
export const readFunctionTools = toolReader(
  ({ type = 'function', function: spec }, where, isOwnForm) => {
    if (type === 'function')
      return [toToolSpec(read.fields(spec, `${where}.function`), `${where}.function`)]
    refuseElsewhere(isOwnForm, `${where}.type`, 'must be "function": other tools are not supported')
    return []
  },
)

/** Makes a reader of `tools`. Most requests bring the tools of the one before. */
export function toolReader(
  toSpecs: (tool: Fields, where: string, isOwnForm: boolean) => readonly ToolSpec[],
) {
  const readerFor = (isOwnForm: boolean) =>
    readOnce(value =>
      read.each(value, 'tools', (tool, where) => toSpecs(tool, where, isOwnForm)).flat(),
    )
  const [elsewhere, own] = [readerFor(false), readerFor(true)]
  return (value: unknown, isOwnForm = false) => (isOwnForm ? own : elsewhere)(value, 0)
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
