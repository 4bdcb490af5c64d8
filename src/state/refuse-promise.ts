import { InvalidOptionError } from '../log/error.ts'

/** Refuses a promise: states are read synchronously, inside tools and between two messages. */
export function refusePromise<T>(
  value: T,
  option: 'schema' | 'pick' | 'fold',
  name: string,
): Exclude<T, PromiseLike<unknown>> {
  if (!isPromise(value)) return value as Exclude<T, PromiseLike<unknown>>
  // Nobody awaits the promise: its rejection must not end the process.
  Promise.resolve(value).catch(() => {})
  throw new InvalidOptionError(
    option,
    `state "${name}" is read synchronously, but its ${option} answers with a promise: check what needs waiting in the tool`,
  )
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
