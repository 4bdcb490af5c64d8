import { parseJson } from '@throughline/core/values'

/** An error answer of the server: its stable code, and its message for people. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  /** All that is wrong with a plan, each with its place. */
  readonly problems: readonly string[] | undefined

  constructor(status: number, { code = 'unknown', message, field, problems }: ErrorFields) {
    super(message || `The server answered ${status}.`)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = field
    this.problems = problems
  }
}

/** The server gave no answer at all. */
export class AwayError extends Error {
  constructor(cause: unknown) {
    super('The server does not answer.', { cause })
    this.name = 'AwayError'
  }
}

export const toApiError = async (response: Response): Promise<ApiError> =>
  new ApiError(response.status, errorIn(parseJson(await response.text().catch(() => ''))))

const errorIn = (answer: unknown) =>
  (answer as { readonly error?: ErrorFields } | undefined)?.error ?? {}

type ErrorFields = Partial<Pick<ApiError, 'code' | 'message' | 'field' | 'problems'>>
