/**
 * A schema of zod, valibot, arktype or any other library with Standard Schema (version 1). Only the part of the
 * specification that is needed to read a value, written out so that nothing has to be installed.
 */
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

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type of a value that matches the schema. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']
