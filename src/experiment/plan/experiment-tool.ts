import type { InferOutput, StandardSchema } from '../../state/index.ts'
import { defineTool, type Tool, type ToolOptions } from '../../turn/index.ts'

/** What a tool is given besides its input. */
export interface ExperimentToolRun<E> {
  /** A draft: change it as if it were yours. What is wrong with a value is the tool's error, and then nothing changes. */
  readonly environment: E
  readonly role: string
  readonly step: number
  /** The same when this very call is made again after a crash or a pause: for effects outside of the environment. */
  readonly key: string
  readonly signal: AbortSignal
}

export interface ExperimentToolOptions<E, Schema extends StandardSchema>
  extends Omit<ToolOptions<Schema>, 'run' | 'endsTurn'> {
  /** What it gives becomes the result: a text as it is, nothing as an empty text, anything else as JSON. */
  readonly run: (input: InferOutput<Schema>, run: ExperimentToolRun<E>) => unknown
  /** The role's turn ends when it was called. Default true: only `false` lets the model go on. */
  readonly endsTurn?: boolean
}

/** A tool of an experiment, the types of its input and its environment forgotten. */
export interface ExperimentTool extends Omit<Tool, 'run'> {
  readonly run: (input: unknown, run: ExperimentToolRun<never>) => unknown
}

/** What plans make their tools with: it knows the environment. */
export interface ToolMaker<E> {
  tool<Schema extends StandardSchema>(options: ExperimentToolOptions<E, Schema>): ExperimentTool
}

/** The tools of a plan, or what makes them. */
export type ExperimentTools<E> =
  | readonly ExperimentTool[]
  | ((maker: ToolMaker<E>) => readonly ExperimentTool[])

export function makeTools<E>(tools: ExperimentTools<E>): readonly ExperimentTool[] {
  return typeof tools === 'function' ? tools({ tool: defineExperimentTool }) : tools
}

// biome-ignore lint/suspicious/noExplicitAny: who names only the type of the environment gets an input that is not checked by types.
type AnySchema = StandardSchema<any>

/**
 * A tool for plans that are stored as JSON, in a module of its own. In `defineExperiment` use the `tool` that it hands
 * out: that one knows the variables. Where the type of the environment stands at its use, as here, the type of the input is
 * known too; `defineExperimentTool<Stand>({ … })` leaves the input to the schema.
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
export function defineExperimentTool<E = Record<string, unknown>, Schema extends StandardSchema = AnySchema>({
  run,
  endsTurn = true,
  ...options
}: ExperimentToolOptions<E, Schema>): ExperimentTool {
  const made = defineTool({ ...options, run: () => undefined, endsTurn } as ToolOptions<Schema>)
  return { ...made, run: run as ExperimentTool['run'] }
}
