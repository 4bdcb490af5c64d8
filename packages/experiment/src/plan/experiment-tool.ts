import { defineTool, type Tool, type ToolOptions, toolNames } from '@throughline/chat/turn'
import { refuseUnknown } from '@throughline/core/errors'
import type { InferOutput, StandardSchema } from '@throughline/core/state'

/** What a tool gets besides its input. */
export interface ExperimentToolRun<E> {
  /** A draft to change in place. An invalid value makes the call fail, and then nothing changes. */
  readonly environment: E
  /** The name of the role that calls. */
  readonly role: string
  /** The step, counted from 1. */
  readonly step: number
  /** An idempotency key for outside effects: the same if this call is made again after a crash or a pause. */
  readonly key: string
  /** Aborted when the experiment is paused or the tool's time is over. */
  readonly signal: AbortSignal
}

/** Options of `defineExperimentTool`. */
export interface ExperimentToolOptions<E, Schema extends StandardSchema>
  extends Omit<ToolOptions<Schema>, 'run' | 'endsTurn'> {
  /** Returns the result: a text as it is, undefined as an empty text, anything else as JSON. */
  readonly run: (input: InferOutput<Schema>, run: ExperimentToolRun<E>) => unknown
  /** Whether a call of this tool ends the role's turn; with `false` the model goes on. Default true. */
  readonly endsTurn?: boolean
}

/** A tool of an experiment, without the types of its input and its environment. */
export interface ExperimentTool extends Omit<Tool, 'run'> {
  /** Returns the result: a text as it is, undefined as an empty text, anything else as JSON. */
  readonly run: (input: unknown, run: ExperimentToolRun<never>) => unknown
}

/** Makes tools that know the types of the plan's environment. */
export interface ToolMaker<E> {
  /** Makes one tool: see `defineExperimentTool`. */
  tool<Schema extends StandardSchema>(options: ExperimentToolOptions<E, Schema>): ExperimentTool
}

/** The tools of a plan, or a function that makes them. */
export type ExperimentTools<E> =
  | readonly ExperimentTool[]
  | ((maker: ToolMaker<E>) => readonly ExperimentTool[])

// biome-ignore lint/suspicious/noExplicitAny: naming only the environment's type leaves the input unchecked by types.
type AnySchema = StandardSchema<any>

/**
 * Defines a tool for plans in JSON, in a module of its own. In `defineExperiment` use the `tool` that it passes to `tools`,
 * which knows the variables. Annotate the environment as below to have the input typed by its schema;
 * `defineExperimentTool<Stand>({ … })` leaves the input untyped.
 *
 * @example
 * defineExperimentTool({
 *   name: 'earn',
 *   input: z.object({ sum: z.int() }),
 *   run: ({ sum }, { environment }: ExperimentToolRun<{ cash: number }>) => {
 *     environment.cash += sum
 *   },
 * })
 */
export function defineExperimentTool<
  E = Record<string, unknown>,
  Schema extends StandardSchema = AnySchema,
>(options: ExperimentToolOptions<E, Schema>): ExperimentTool {
  refuseUnknown<ToolOptions<Schema>>(options as unknown as ToolOptions<Schema>, toolNames)
  const { run, endsTurn = true, ...rest } = options
  const made = defineTool({ ...rest, run: () => undefined, endsTurn } as ToolOptions<Schema>)
  return { ...made, run: run as ExperimentTool['run'] }
}
