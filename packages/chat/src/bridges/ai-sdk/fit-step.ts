import { type Context, type FitOptions, fitNames } from '@throughline/core/context'
import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { fitAiSdk } from './fit-ai-sdk.ts'

/** Options of `fitStep`. */
export interface FitStepOptions extends Omit<FitOptions, 'tools' | 'maxToolTokens' | 'previous'> {
  /** The `system` of the same call: it is counted, and carries the pins. Default: that of the step, which only AI SDK 7 tells. */
  readonly system?: string | SystemMessage | readonly SystemMessage[]
  /** The `tools` of the same call, which a step does not get: they are counted. */
  readonly tools?: ToolSetLike
  /** Called with every context and its receipt before it is sent. */
  readonly onContext?: (context: Context) => void
}

/** The AI SDK's tools by name, with the fields that a model sees. */
export type ToolSetLike = Readonly<Record<string, ToolLike>>

interface ToolLike {
  /** In AI SDK 7 it may be a function of the tool's context. */
  readonly description?: unknown
  readonly inputSchema?: unknown
  /** A provider's own tool has `id` and `args` instead. */
  readonly id?: unknown
  readonly args?: unknown
}

interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

type Instructions = NonNullable<FitStepOptions['system']>

/** What a step is told: `messages` by every version of the AI SDK, the rest since 7. */
export interface StepLike<M> {
  readonly messages: readonly M[]
  readonly instructions?: unknown
  readonly initialInstructions?: Instructions | undefined
  readonly initialMessages?: readonly M[]
  readonly responseMessages?: readonly M[]
  readonly steps?: readonly {
    readonly response: { readonly messages: readonly M[] }
    readonly experimental_steeringMessages?: readonly M[]
  }[]
  readonly experimental_steeringMessages?: readonly M[]
  readonly toolsContext?: Readonly<Record<string, unknown>>
  readonly experimental_sandbox?: unknown
}

/** What the step is sent with. `system` is there only if it changed. */
export interface FittedStep<M> {
  /** The messages of the step, without the system prompt. */
  messages: M[]
  /** The system prompt with what was added to it. */
  system?: { role: 'system'; content: string }[]
}

/**
 * A `prepareStep` for the AI SDK: each step fits into the window, after any number of rounds. The result still holds all messages.
 *
 * @example
 * await generateText({ model, tools, prompt, prepareStep: fitStep({ window: 4096, tools }) })
 */
export function fitStep(
  options: FitStepOptions,
): <M extends MessageLike>(step: StepLike<M>) => Promise<FittedStep<M>> {
  const { previous: _, maxToolTokens: __, ...names } = fitNames
  refuseUnknown(options, { ...names, onContext: 1, system: 1 })
  const { onContext, tools, system, ...settings } = options
  const fixedHead = system === undefined ? undefined : toHead(system)
  let schemas: Promise<readonly Described[]> | undefined

  return async <M extends MessageLike>(step: StepLike<M>) => {
    schemas ??= toolSchemas(tools)
    const head = fixedHead ?? toHead(step.initialInstructions ?? [])
    const messages = wholeRun(step)
    const offered = (await schemas).map(toTool => toTool(step))
    const context = fitAiSdk<M | SystemMessage>([...head, ...messages], {
      ...settings,
      tools: offered,
    })
    onContext?.(context)
    if (head.length === 0) return { messages: context.messages as M[] }
    // System messages among the caller's own messages stay there.
    const isOwn = (message: unknown) => messages.includes(message as M)
    const end = context.messages.findIndex(message => message.role !== 'system' || isOwn(message))
    const leading = context.messages.slice(0, end < 0 ? undefined : end)
    const rest = context.messages.slice(leading.length)
    // In AI SDK 7 a system prompt that was changed stays so in later steps.
    const wasChanged = step.instructions !== step.initialInstructions
    const isSame =
      leading.length === head.length && leading.every((message, at) => message === head[at])
    return {
      messages: rest as M[],
      ...(isSame && !wasChanged ? {} : { system: leading as SystemMessage[] }),
    }
  }
}

function toHead(system: Instructions): readonly SystemMessage[] {
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  return 'role' in system ? [system] : system
}

/** All messages of a run. In AI SDK 7 a step begins with what the step before it sent, which is fitted already. */
function wholeRun<M>(step: StepLike<M>): readonly M[] {
  const {
    initialMessages,
    responseMessages = [],
    steps = [],
    experimental_steeringMessages: newest = [],
  } = step
  if (initialMessages === undefined) return step.messages
  const later = steps.flatMap(({ response, experimental_steeringMessages: steering = [] }) => [
    ...steering,
    ...response.messages,
  ])
  const answers = steps.reduce((sum, { response }) => sum + response.messages.length, 0)
  // Results of tools that a user approved come before the first step.
  const approved = responseMessages.slice(0, responseMessages.length - answers)
  return [...initialMessages, ...approved, ...later, ...newest]
}

/** A tool as it is sent with a step, to be counted. */
type Described = (step: Pick<StepLike<unknown>, 'toolsContext' | 'experimental_sandbox'>) => unknown

async function toolSchemas(tools: ToolSetLike = {}): Promise<readonly Described[]> {
  return Promise.all(
    Object.entries(tools).map(
      async ([name, { description, inputSchema, id, args }]): Promise<Described> => {
        if (inputSchema === undefined) return () => ({ name, description, id, args })
        const parameters = await toJsonSchema(inputSchema, name)
        return ({ toolsContext, experimental_sandbox }) => {
          const context = toolsContext?.[name]
          const words =
            typeof description === 'function'
              ? description({ context, experimental_sandbox })
              : description
          return { type: 'function', function: { name, description: words, parameters } }
        }
      },
    ),
  )
}

/** Converts a schema: the AI SDK's own `jsonSchema(…)`, also a lazy one, or any Standard Schema. */
async function toJsonSchema(schema: unknown, tool: string): Promise<unknown> {
  const source = (typeof schema === 'function' && !('~standard' in schema) ? schema() : schema) as {
    readonly jsonSchema?: unknown
    readonly '~standard'?: { readonly jsonSchema?: { input(options: { target: string }): unknown } }
  }
  if (source.jsonSchema !== undefined) return await source.jsonSchema
  const standard = source['~standard']?.jsonSchema
  if (standard) return closed(standard.input({ target: 'draft-07' }))
  const problem = `the input schema of "${tool}" has no JSON form that can be counted: use jsonSchema() or zod 4.2 or later`
  throw new InvalidOptionError('tools', problem)
}

/** Adds `additionalProperties: false` to every object, as the AI SDK does, because it costs tokens. */
function closed(schema: unknown): unknown {
  const text = JSON.stringify(schema, (_, value) =>
    value?.type === 'object' ? { ...value, additionalProperties: false } : value,
  )
  return JSON.parse(text)
}
