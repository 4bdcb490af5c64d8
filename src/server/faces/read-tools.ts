import {
  type Fields,
  optional,
  readFields,
  readJsonFields,
  readList,
  readText,
  refuse,
} from '../../log/fields.ts'
import type { ToolSpec } from '../../models/model.ts'

/** Reads tools as Ollama and OpenAI's chat completions have them: `{ type: 'function', function }`. */
export function readFunctionTools(value: unknown, field = 'tools'): readonly ToolSpec[] {
  return (optional(value, field, readList) ?? []).map((tool, at) => {
    const where = `${field}[${at}]`
    const { type = 'function', function: spec } = readFields(tool, where)
    if (type !== 'function') refuse(`${where}.type`, 'must be "function": other tools are not supported')
    return toToolSpec(readFields(spec, `${where}.function`), `${where}.function`)
  })
}

/** A tool from its fields. The arguments have another name on each face. */
export function toToolSpec(fields: Fields, where: string, schema = 'parameters'): ToolSpec {
  const name = readText(fields.name, `${where}.name`)
  if (name === '') refuse(`${where}.name`, 'must not be empty')
  const description = optional(fields.description, `${where}.description`, readText)
  const parameters = optional(fields[schema], `${where}.${schema}`, readJsonFields)
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  }
}
