import type { Context, FitOptions } from '../../context/context.ts'
import { InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { fitAiSdk } from './fit-ai-sdk.ts'

export interface FitStepOptions extends Omit<FitOptions, 'tools' | 'previous'> {
  /** The `system` of the same call, which a step does not get: it is counted, and carries the pins. */
  readonly system?: string | SystemMessage | readonly SystemMessage[]
  /** The `tools` of the same call, which a step does not get: they are counted. */
  readonly tools?: ToolSetLike
  /** Called with every context and its receipt before it is sent. */
  readonly onContext?: (context: Context) => void
}

/** The AI SDK's tools by name, with the fields that a model sees. */
export type ToolSetLike = Readonly<Record<string, ToolLike>>

interface ToolLike {
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  /** A provider's own tool has `id` and `args` instead. */
  readonly id?: unknown
  readonly args?: unknown
}

interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

/** What the step is sent with. `system` is there only if it changed. */
export interface FittedStep<M> {
  messages: M[]
  system?: { role: 'system'; content: string }[]
}

/**
 * A `prepareStep` for the AI SDK's `generateText`, `streamText` and agents: each step fits into the window, however many
 * rounds of tools there are. The result still holds all messages.
 *
 * @example
 * await generateText({ model, tools, prompt, prepareStep: fitStep({ window: 4096, tools }) })
 */
export function fitStep({
  onContext,
  tools,
  system = [],
  ...options
}: FitStepOptions): <M extends MessageLike>(step: {
  readonly messages: readonly M[]
}) => Promise<FittedStep<M>> {
  const head: readonly SystemMessage[] =
    typeof system === 'string' ? [{ role: 'system', content: system }] : 'role' in system ? [system] : system
  let schemas: Promise<readonly unknown[]> | undefined

  return async <M extends MessageLike>({ messages }: { readonly messages: readonly M[] }) => {
    schemas ??= toolSchemas(tools)
    const context = fitAiSdk<M | SystemMessage>([...head, ...messages], { ...options, tools: await schemas })
    onContext?.(context)
    if (head.length === 0) return { messages: context.messages as M[] }
    // System messages among the caller's own messages stay there.
    const isOwn = (message: unknown) => messages.includes(message as M)
    const end = context.messages.findIndex(message => message.role !== 'system' || isOwn(message))
    const leading = context.messages.slice(0, end < 0 ? undefined : end)
    const rest = context.messages.slice(leading.length)
    const isSame = leading.length === head.length && leading.every((message, at) => message === head[at])
    return { messages: rest as M[], ...(isSame ? {} : { system: leading as SystemMessage[] }) }
  }
}

/** The tools as they are sent, to be counted. */
async function toolSchemas(tools: ToolSetLike = {}): Promise<readonly unknown[]> {
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
