import { showValue } from '../../log/error.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import { toFault } from '../to-fault.ts'

/** The error for missing things and for those of other tenants, which must look the same. */
export const notFound = (what: string, name: string) =>
  new NotFoundError(`no_${what}`, `There is no ${what} ${showValue(name)}.`)

/** The body of an error: `{ error: { code, message, field? } }`. */
export function errorBody(error: unknown) {
  const { code, message, field } = toFault(error)
  return { error: { code, message, field } }
}
