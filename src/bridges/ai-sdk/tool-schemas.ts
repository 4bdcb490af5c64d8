import { InvalidOptionError } from '../../log/error.ts'

/** The AI SDK's tools, by name; as far as a model is told of them. */
export type ToolSetLike = Readonly<Record<string, ToolLike>>

interface ToolLike {
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  /** A provider's own tool has these instead. */
  readonly id?: unknown
  readonly args?: unknown
}

/** What is sent of the tools, so that it can be counted. */
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

/** The AI SDK takes its own `jsonSchema(…)`, also lazily, and every library of the standard for schemas. */
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

/** The AI SDK forbids fields that a schema does not name, in every object: a few tokens more. */
function closed(schema: unknown): unknown {
  const text = JSON.stringify(schema, (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  )
  return JSON.parse(text)
}
