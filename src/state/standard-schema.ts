/**
 * A schema of zod, valibot, arktype or any other library that speaks Standard Schema (version 1): the small part
 * of the specification that reading a value takes, written out so that nothing has to be installed.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Never there when the program runs: it carries the types. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** `issues` decides: a value that comes with issues does not match. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema makes of a value that matches. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']
