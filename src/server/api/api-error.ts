import { InvalidOptionError, ThroughlineError } from '../../log/error.ts'
import { toFault } from '../exchange/to-fault.ts'

/** A refusal of the API with its status. */
export class ApiError extends ThroughlineError {
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(code, message)
    this.status = status
  }
}

/** What is not there, or belongs to somebody else: the two look alike. */
export const notFound = (what: string, name: string) =>
  new ApiError(404, `no_${what}`, `There is no ${what} ${JSON.stringify(name.slice(0, 200))}.`)

/** The body of an error: `{ error: { code, message, field? } }`. */
export function errorBody(error: unknown) {
  const { code, message, field } = toFault(error)
  const option = error instanceof InvalidOptionError ? error.option : field
  return { error: { code, message, ...(option !== undefined && { field: option }) } }
}

export function errorResponse(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const { status, retryAfterMs } = toFault(error)
  const wait = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  return Response.json(errorBody(error), {
    status: error instanceof ApiError ? error.status : status,
    headers: { ...headers, ...wait },
  })
}
