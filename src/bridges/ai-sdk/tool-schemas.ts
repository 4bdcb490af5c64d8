import { InvalidOptionError } from '../../log/error.ts'

/** The AI SDK's tools by name, with the fields that a model sees. */
export type ToolSetLike = Readonly<Record<string, ToolLike>>

interface ToolLike {
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  /** A provider's own tool has `id` and `args` instead. */
  readonly id?: unknown
  readonly args?: unknown
}

/** The tools as they are sent, to be counted. */
export async function toolSchemas(tools: ToolSetLike = {}): Promise<readonly unknown[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema, id, args }]) =>
      inputSchema === undefined
        ? { name, description, id, args }
        : {
            type: 'function',
            function: { name, description, parameters: await toJsonSchema(inputSchema, name) },
          },
    ),
  )
}

/** Converts a schema: the AI SDK's own `jsonSchema(…)`, also a lazy one, or any Standard Schema. */
async function toJsonSchema(schema: unknown, tool: string): Promise<unknown> {
  const given = (typeof schema === 'function' && !('~standard' in schema) ? schema() : schema) as {
    readonly jsonSchema?: unknown
    readonly '~standard'?: { readonly jsonSchema?: { input(options: { target: string }): unknown } }
  }
  if (given.jsonSchema !== undefined) return await given.jsonSchema
  const standard = given['~standard']?.jsonSchema
  if (standard) return closed(standard.input({ target: 'draft-07' }))
  throw new InvalidOptionError(
    'tools',
    `the input schema of "${tool}" has no JSON form that can be counted: use jsonSchema() or zod 4.2 or later`,
  )
}

/** Adds `additionalProperties: false` to every object, as the AI SDK does, because it costs tokens. */
function closed(schema: unknown): unknown {
  const text = JSON.stringify(schema, (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  )
  return JSON.parse(text)
}
