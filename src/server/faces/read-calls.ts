import { type Fields, optional, readEach, readFields, readJson, readText, refuse } from '../../log/fields.ts'

/** Reads the `tool_calls` of a message of Ollama or OpenAI. Each stays in its provider's form. */
export function readCalls(value: unknown, field: string): readonly Fields[] {
  return readEach(value, field, (call, where) => {
    const id = optional(call.id, `${where}.id`, readText)
    const held = { ...(id !== undefined && { id }), ...(call.type === 'function' && { type: 'function' }) }
    if (call.type === 'custom') {
      const { name, input } = readFields(call.custom, `${where}.custom`)
      const custom = {
        name: readName(name, `${where}.custom.name`),
        input: readText(input, `${where}.custom.input`),
      }
      return { ...held, type: 'custom', custom }
    }
    const called = readFields(call.function, `${where}.function`)
    const name = readName(called.name, `${where}.function.name`)
    return {
      ...held,
      function: { name, arguments: readJson(called.arguments ?? {}, `${where}.function.arguments`) },
    }
  })
}

function readName(value: unknown, field: string): string {
  return readText(value, field) || refuse(field, 'must not be empty')
}
