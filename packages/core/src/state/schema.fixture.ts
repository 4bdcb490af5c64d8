import type { InferOutput, SchemaIssue, SchemaResult, StandardSchema } from './define-state.ts'

/** A small schema library for tests, like zod. It counts validations. */
export interface TestSchema<Output> extends StandardSchema<Output, Output> {
  readonly asked: { count: number }
}

type Check<Output> = (value: unknown, path: readonly PropertyKey[]) => SchemaResult<Output>

export const text = (): TestSchema<string> =>
  primitive('a text', value => typeof value === 'string')
export const number = (): TestSchema<number> =>
  primitive('a number', value => typeof value === 'number')

export function list<Item extends StandardSchema>(item: Item): TestSchema<InferOutput<Item>[]> {
  return schema((value, path) => {
    if (!Array.isArray(value)) return issue('expected a list', path)
    const parts = value.map((one, at) => within(item, one, [...path, at]))
    return merge(parts, values => values as InferOutput<Item>[])
  })
}

type Shape = Readonly<Record<string, StandardSchema>>

/** Keeps only known keys, as zod does. */
export function object<S extends Shape>(
  shape: S,
): TestSchema<{ [K in keyof S]: InferOutput<S[K]> }> {
  return schema((value, path) => {
    if (typeof value !== 'object' || value === null) return issue('expected an object', path)
    const keys = Object.keys(shape)
    const parts = keys.map(key =>
      within(shape[key]!, (value as Record<string, unknown>)[key], [...path, key]),
    )
    return merge(
      parts,
      values => Object.fromEntries(keys.map((key, at) => [key, values[at]])) as never,
    )
  })
}

export const anything = (): TestSchema<unknown> => schema(value => ({ value }))

export function schema<Output>(check: Check<Output>): TestSchema<Output> {
  const asked = { count: 0 }
  const validate = (value: unknown) => {
    asked.count += 1
    return check(value, [])
  }
  return { '~standard': { version: 1, vendor: 'test', validate }, asked }
}

function primitive<Output>(what: string, is: (value: unknown) => boolean): TestSchema<Output> {
  return schema((value, path) =>
    is(value) ? { value: value as Output } : issue(`expected ${what}`, path),
  )
}

function within(
  inner: StandardSchema,
  value: unknown,
  path: readonly PropertyKey[],
): SchemaResult<unknown> {
  const answer = inner['~standard'].validate(value) as SchemaResult<unknown>
  if (!answer.issues) return answer
  return { issues: answer.issues.map(one => ({ ...one, path: [...path, ...(one.path ?? [])] })) }
}

function merge<Output>(
  parts: readonly SchemaResult<unknown>[],
  make: (values: unknown[]) => Output,
) {
  const issues = parts.flatMap(part => part.issues ?? [])
  return issues.length > 0
    ? { issues }
    : { value: make(parts.map(part => 'value' in part && part.value)) }
}

function issue(
  message: string,
  path: readonly PropertyKey[],
): { readonly issues: readonly SchemaIssue[] } {
  return { issues: [{ message, path }] }
}
