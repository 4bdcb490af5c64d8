import { InvalidOptionError, refuseUnknown } from '../log/error.ts'
import { freeze, isPlain } from './freeze.ts'

/** A value that is read from tool results. `Start` is its type before there is a result. */
export interface State<Value, Start extends Value | undefined = Value | undefined> {
  /** What error texts call it. */
  readonly name: string
  /** The tools whose results carry it. */
  readonly tools: readonly string[]
  /** The error text of a tool that needs the state when it has no value. */
  readonly missing: string
  /** Its value before there is a result: frozen plain data, or undefined. */
  readonly initial: Start
  /** What a result must fit, else it is skipped. */
  readonly schema: StandardSchema
  /** Takes the value out of a result. Absent: the whole result. */
  readonly pick?: (result: unknown) => unknown
  /** Makes the next value of the last one and a result. Absent: the newest result is the value. */
  readonly fold?: (previous: unknown, result: unknown) => Value
  /** The project that a result belongs to. Absent: results belong to all projects. */
  readonly belongsTo?: (result: unknown) => unknown
}

interface StateDefinition<Schema extends StandardSchema, Picked> {
  /** The state's name in errors, and in the text of `missing`. */
  readonly name: string
  /** The tool or tools whose results carry the state. */
  readonly tool: string | readonly string[]
  /** The schema of the tool's results. */
  readonly schema: Schema
  /** Takes the value out of a result; undefined where the result has none. Default: the whole result. */
  readonly pick?: (result: InferOutput<Schema>) => Picked | undefined
  /** The project that a result (as picked) belongs to; undefined if it does not say. Default: results belong to all projects. */
  readonly belongsTo?: (result: NoInfer<Picked>) => string | undefined
  /** The error text of a tool that needs the state when it has no value. Default: a text that names the state and its tool. */
  readonly missing?: string
}

/** Without `fold` the newest result is the value. */
type Newest = { readonly fold?: undefined }

/** Folds all results, oldest first, into a new value each time: the previous one is frozen. */
type Folded<Previous, Picked, Value> = {
  /** Makes the value from the previous one (frozen) and the next result (as picked), oldest first. Default: the newest result. */
  readonly fold: (previous: Previous, result: NoInfer<Picked>) => Value
}

/** `initial` is plain data; copied and frozen, as every request begins with it. */
type From<Value> = {
  /** The value before there is a result; plain data. Default `undefined`. */
  readonly initial: Value
}
type FromNothing = { readonly initial?: undefined }

/**
 * Describes a value that is read from tool results: which tools, and the schema of their results.
 *
 * @example
 * const hypothesis = defineState({
 *   name: 'hypothesis',
 *   tool: 'generate_hypotheses',
 *   schema: z.object({ hypotheses: z.array(z.object({ title: z.string(), url: z.string() })) }),
 *   pick: result => result.hypotheses[0],
 * })
 */
export function defineState<Schema extends StandardSchema, Picked = InferOutput<Schema>>(
  options: StateDefinition<Schema, Picked> & Newest & FromNothing,
): State<Picked, undefined>
export function defineState<Schema extends StandardSchema, Picked = InferOutput<Schema>>(
  options: StateDefinition<Schema, Picked> & Newest & From<NoInfer<Picked>>,
): State<Picked, Picked>
export function defineState<Schema extends StandardSchema, Value, Picked = InferOutput<Schema>>(
  options: StateDefinition<Schema, Picked> & Folded<Value | undefined, Picked, Value> & FromNothing,
): State<Value, undefined>
export function defineState<Schema extends StandardSchema, Value, Picked = InferOutput<Schema>>(
  options: StateDefinition<Schema, Picked> & Folded<Value, Picked, Value> & From<Value>,
): State<Value, Value>
export function defineState(options: unknown): State<unknown> {
  const parts = { schema: 1, pick: 1, fold: 1, belongsTo: 1 } as const
  refuseUnknown(options as Loose, { name: 1, tool: 1, initial: 1, missing: 1, ...parts })
  const { name, tool, schema, initial, pick, fold, belongsTo, missing } = options as Loose
  const tools = typeof tool === 'string' ? [tool] : [...(tool ?? [])]
  if (!isText(name))
    throw new InvalidOptionError('name', 'a state needs a name: error texts use it')
  if (tools.length === 0 || !tools.every(isText))
    throw new InvalidOptionError(
      'tool',
      `state "${name}" needs the name of a tool, or a list of names`,
    )
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw new InvalidOptionError(
      'schema',
      `state "${name}" needs a Standard Schema (zod, valibot, arktype)`,
    )
  if (!isPlain(initial)) {
    const why = 'what one request changes in it the next one would see'
    throw new InvalidOptionError('initial', `state "${name}" must begin with plain data: ${why}`)
  }
  return Object.freeze({
    name,
    tools: Object.freeze(tools),
    missing: missing ?? missingText(name, tools[0]!),
    initial: freeze(structuredClone(initial)),
    schema,
    pick,
    fold,
    belongsTo,
  })
}

type Loose = Partial<Omit<State<unknown>, 'tools'>> & { readonly tool?: string | readonly string[] }

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** What is missing, and which tool makes it, in the words of the tool's name: `generate_hypotheses` → "generate hypotheses". */
function missingText(name: string, tool: string): string {
  const words = wordsOf(tool)
  return words.includes(' ')
    ? `No ${name} available. Please ${words} first using the ${tool} tool.`
    : `No ${name} available. Please use the ${tool} tool first.`
}

/** The words of a tool's name; tool servers put their own name before a dot, a slash or two underscores. */
function wordsOf(tool: string): string {
  const lastPart = tool.split(/[./:]|__/).findLast(part => part !== '') ?? tool
  return lastPart
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-\s]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** A schema of any library with Standard Schema 1 (zod, valibot, arktype), written out so that nothing has to be installed. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Absent at run time: it only carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** A result with `issues` does not match. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One thing that a schema finds wrong in a value, as Standard Schema defines it. */
export interface SchemaIssue {
  /** What is wrong, in words. */
  readonly message: string
  /** The way to the wrong field, from the outside in. Absent: the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type of a value that matches the schema. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<
  Schema['~standard']['types']
>['output']
