import {
  InvalidOptionError,
  type OptionNames,
  refuseUnknown,
  showValue,
} from '@throughline/core/errors'
import { readMessage, readMessageName, readResultName } from '@throughline/core/messages'
import type { InferOutput, StandardSchema } from '@throughline/core/state'
import { isCount } from '@throughline/core/values'
import type { ToolSpec } from '@throughline/models/model'
import { clippedView } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'

/** What a tool gets besides its input. The conversation is in the request context: see `throughline/request`. */
export interface ToolRun {
  /** Aborted when the turn is cancelled or the tool's time is over. */
  readonly signal: AbortSignal
  /** The id of the call, which its result has too. */
  readonly callId: string
}

/** A tool that `defineTool` has made. */
export interface Tool<Input = unknown> {
  /** The name by which the model calls it: letters, digits, `_`, `.` and `-`. */
  readonly name: string
  /** What it does, for the model. */
  readonly description?: string
  /** Checks the input: what does not pass never reaches `run`. */
  readonly schema: StandardSchema<Input>
  /** The JSON Schema of the input, for the model. */
  readonly parameters: ToolSpec['parameters']
  /** Returns the result: a text as it is, anything else as JSON. What it throws becomes `Error: …`. */
  readonly run: (input: Input, run: ToolRun) => unknown
  /** Whether a call of this tool ends the turn: the model is not asked again. Default false. */
  readonly endsTurn: boolean
  /** How long it may take, in milliseconds. Default: `toolTimeoutMs` of the chat. */
  readonly timeoutMs?: number
  /** Whether it runs in the order of the calls, to find what earlier ones remembered. Default: `toolsInOrder` of the chat. */
  readonly inOrder?: boolean
}

/** Options of `defineTool`. */
export interface ToolOptions<Schema extends StandardSchema>
  extends Pick<Tool, 'name' | 'description' | 'timeoutMs' | 'inOrder'>,
    Partial<Pick<Tool, 'endsTurn'>> {
  /** Any Standard Schema: zod, valibot, arktype. Input that does not pass it never reaches `run`. */
  readonly input: Schema
  /** The JSON Schema of the input. Default: the one that the schema gives itself. */
  readonly parameters?: ToolSpec['parameters']
  /** Returns the result: a text as it is, anything else as JSON. What it throws becomes `Error: …`. */
  readonly run: (input: InferOutput<Schema>, run: ToolRun) => unknown
}

export const toolNames: OptionNames<ToolOptions<StandardSchema>> = {
  name: 1,
  description: 1,
  timeoutMs: 1,
  inOrder: 1,
  endsTurn: 1,
  input: 1,
  parameters: 1,
  run: 1,
}

/**
 * Defines a tool. `run` gets the output of the schema, typed.
 *
 * @example
 * defineTool({ name: 'add', input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b })
 */
export function defineTool<Schema extends StandardSchema>(options: ToolOptions<Schema>): Tool {
  refuseUnknown<ToolOptions<Schema>>(options, toolNames)
  const { name, input, run, timeoutMs, inOrder } = options ?? ({} as ToolOptions<Schema>)
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) {
    const problem = `${showValue(name)} is no name of a tool: use letters, digits, "_" and "-"`
    throw new InvalidOptionError('name', problem)
  }
  const needs = (option: string, isFine: boolean, what: string, got: unknown) => {
    if (!isFine)
      throw new InvalidOptionError(option, `"${name}" needs ${what}, got ${showValue(got)}`)
  }
  needs('input', input?.['~standard'] !== undefined, 'a schema, such as z.object({ … })', input)
  needs('run', typeof run === 'function', 'a function to run', run)
  const isTime = timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs >= 1)
  needs('timeoutMs', isTime, 'a number of milliseconds, 1 or more', timeoutMs)
  const { description, parameters = toParameters(name, input), endsTurn = false } = options
  const tool = { name, description, schema: input, parameters, endsTurn, timeoutMs, inOrder }
  return { ...tool, run: run as Tool['run'] }
}

export const toSpec = ({ name, description, parameters }: ToolSpec) => ({
  name,
  description,
  parameters,
})

function toParameters(name: string, schema: StandardSchema): ToolSpec['parameters'] {
  /** The part of Standard JSON Schema with which a schema gives its JSON Schema. */
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> }
  }
  if (!jsonSchema) {
    const problem = `the schema of "${name}" cannot give its JSON Schema: pass that as \`parameters\``
    throw new InvalidOptionError('parameters', problem)
  }
  const { $schema: _, ...parameters } = jsonSchema.input({ target: 'draft-07' })
  return parameters
}

const parameters = {
  type: 'object',
  properties: { place: { type: 'integer' }, from: { type: 'integer', minimum: 0 } },
  required: ['place'],
}

/** The tool with which the model reads on in a result that was clipped, as the model sees it. */
export const readResultSpec: ToolSpec = {
  name: readResultName,
  description: 'Reads on in a long tool result that was shown only in part.',
  parameters,
}

/** The tool with which the model reads any message of the conversation. */
export const readMessageSpec: ToolSpec = {
  name: readMessageName,
  description:
    'Reads a message of this conversation in full, by its number: 12 for #12. Use it for what was cleared, clipped or left out.',
  parameters,
}

/** The tool of one of these specs, on a log. `mostTokens`: how much of a text is given at once. */
export function readingTool(spec: ToolSpec, log: TurnLog, mostTokens: () => number): Tool {
  const what = spec === readMessageSpec ? 'message' : 'tool result'
  return defineTool({
    ...(spec as Required<ToolSpec>),
    input: schema,
    async run({ place, from = 0 }) {
      const message = await log.messageAt(place)
      const { role, text: said = '', calls = [] } = message ? readMessage(message, place) : {}
      const isMeant =
        what === 'message' ? role !== undefined && role !== 'assistant_note' : role === 'tool'
      if (!isMeant) throw new Error(`there is no ${what} at place ${place}`)
      const made = calls.map(call => `→ ${call.name}(${call.arguments})`)
      const text = [said, ...made].filter(Boolean).join('\n')
      if (from >= text.length)
        return `(the ${what === 'message' ? what : 'result'} has ${text.length} characters)`
      const limits = { mostTokens: mostTokens(), count: log.count, tool: spec.name }
      // Undefined: the whole rest fits.
      return clippedView(text, { place, from, ...limits }) ?? text.slice(from)
    },
  })
}

interface ReadInput {
  readonly place: number
  readonly from?: number
}

const schema: StandardSchema<ReadInput> = {
  '~standard': {
    version: 1,
    vendor: 'throughline',
    validate(value) {
      const { place, from = 0 } = (value ?? {}) as Partial<ReadInput>
      if (isCount(place, 1) && isCount(from)) return { value: value as ReadInput }
      return {
        issues: [{ message: 'expected the place of a result, and from: a place in its text' }],
      }
    },
  },
}
