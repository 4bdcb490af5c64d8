import { InvalidOptionError, showValue } from '../../log/error.ts'
import { type OptionNames, refuseUnknown } from '../../log/refuse-unknown.ts'
import type { ToolSpec } from '../../models/model.ts'
import type { InferOutput, StandardSchema } from '../../state/index.ts'

/** What a tool gets besides its input. The conversation is in the request context: see `throughline/request`. */
export interface ToolRun {
  /** Aborted when the turn is cancelled or the tool's time is over. */
  readonly signal: AbortSignal
  readonly callId: string
}

export interface Tool<Input = unknown> {
  /** The name by which the model calls it: letters, digits, `_`, `.` and `-`. */
  readonly name: string
  /** What it does, for the model. */
  readonly description?: string
  readonly schema: StandardSchema<Input>
  /** The JSON Schema of the input, for the model. */
  readonly parameters: ToolSpec['parameters']
  /** Returns the result: a text as it is, anything else as JSON. What it throws becomes `Error: …`. */
  readonly run: (input: Input, run: ToolRun) => unknown
  /** Whether a call of this tool ends the turn: the model is not asked again. Default false. */
  readonly endsTurn: boolean
  /** How long it may take, in milliseconds. Default: `toolTimeoutMs` of the chat. */
  readonly timeoutMs?: number
  /**
   * Whether it runs in the order of the calls: when the calls before it in the round are done, and before those behind it. So it
   * finds what they have remembered in the request context. Default: `toolsInOrder` of the chat.
   */
  readonly inOrder?: boolean
}

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

const toolNames: OptionNames<ToolOptions<StandardSchema>> = {
  ...{ name: 1, description: 1, timeoutMs: 1, inOrder: 1, endsTurn: 1, input: 1, parameters: 1, run: 1 },
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
    if (!isFine) throw new InvalidOptionError(option, `"${name}" needs ${what}, got ${showValue(got)}`)
  }
  needs('input', input?.['~standard'] !== undefined, 'a schema, such as z.object({ … })', input)
  needs('run', typeof run === 'function', 'a function to run', run)
  const isTime = timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs >= 1)
  needs('timeoutMs', isTime, 'a number of milliseconds, 1 or more', timeoutMs)
  const { description, parameters = toParameters(name, input), endsTurn = false } = options
  const tool = { name, description, schema: input, parameters, endsTurn, timeoutMs, inOrder }
  return { ...tool, run: run as Tool['run'] }
}

export const toSpec = ({ name, description, parameters }: ToolSpec) => ({ name, description, parameters })

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
