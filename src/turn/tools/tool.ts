import { InvalidOptionError } from '../../log/error.ts'
import { showValue } from '../../log/show-value.ts'
import type { ToolSpec } from '../../models/model.ts'
import type { InferOutput, StandardSchema } from '../../state/index.ts'

/** What a tool gets besides its input. The conversation is in the request context: see `throughline/request`. */
export interface ToolRun {
  /** Aborted when the turn is cancelled or the tool's time is over. */
  readonly signal: AbortSignal
  readonly callId: string
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description?: string
  readonly schema: StandardSchema<Input>
  /** The JSON Schema of the input, for the model. */
  readonly parameters: ToolSpec['parameters']
  /** Returns the result: a text as it is, anything else as JSON. What it throws becomes `Error: …`. */
  readonly run: (input: Input, run: ToolRun) => unknown
  /** Whether a call of this tool ends the turn: the model is not asked again. */
  readonly endsTurn: boolean
  readonly timeoutMs?: number
}

export interface ToolOptions<Schema extends StandardSchema> {
  readonly name: string
  readonly description?: string
  /** Any Standard Schema: zod, valibot, arktype. Input that does not pass it never reaches `run`. */
  readonly input: Schema
  /** The JSON Schema of the input, for schemas that cannot give it themselves. */
  readonly parameters?: ToolSpec['parameters']
  readonly run: (input: InferOutput<Schema>, run: ToolRun) => unknown
  /** Default false. */
  readonly endsTurn?: boolean
  /** Default: that of the chat. */
  readonly timeoutMs?: number
}

/**
 * Defines a tool. `run` gets the output of the schema, typed.
 *
 * @example
 * defineTool({ name: 'add', input: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b })
 */
export function defineTool<Schema extends StandardSchema>(options: ToolOptions<Schema>): Tool {
  const {
    name,
    description,
    input,
    parameters,
    run,
    endsTurn = false,
    timeoutMs,
  } = options ?? ({} as ToolOptions<Schema>)
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
    throw new InvalidOptionError(
      'name',
      `${showValue(name)} is no name of a tool: use letters, digits, "_" and "-"`,
    )
  if (input?.['~standard'] === undefined)
    throw new InvalidOptionError(
      'input',
      `"${name}" needs a schema, such as z.object({ … }), got ${showValue(input)}`,
    )
  if (typeof run !== 'function')
    throw new InvalidOptionError('run', `"${name}" needs a function to run, got ${showValue(run)}`)
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs >= 1)) {
    const problem = `"${name}" needs a number of milliseconds, 1 or more, got ${showValue(timeoutMs)}`
    throw new InvalidOptionError('timeoutMs', problem)
  }
  return {
    name,
    ...(description === undefined ? {} : { description }),
    schema: input,
    parameters: parameters ?? toParameters(name, input),
    run: run as Tool['run'],
    endsTurn,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

export function toSpec({ name, description, parameters }: Pick<Tool, keyof ToolSpec>): ToolSpec {
  return { name, ...(description === undefined ? {} : { description }), parameters }
}

/** The part of Standard JSON Schema with which a schema gives its JSON Schema. */
interface SaysItself {
  readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> }
}

function toParameters(name: string, schema: StandardSchema): ToolSpec['parameters'] {
  const { jsonSchema } = schema['~standard'] as SaysItself
  if (!jsonSchema) {
    throw new InvalidOptionError(
      'parameters',
      `the schema of "${name}" cannot give its JSON Schema: pass that as \`parameters\``,
    )
  }
  const { $schema: _, ...parameters } = jsonSchema.input({ target: 'draft-07' })
  return parameters
}
