/** What the server answered instead: its stable code, and its message for people. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | undefined

  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = field
  }
}

/** The server gave no answer at all. */
export class AwayError extends Error {
  constructor(cause: unknown) {
    super('The server does not answer.', { cause })
    this.name = 'AwayError'
  }
}

export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const { code = 'unknown', message = '', field } = readError(text)
  return new ApiError(response.status, code, message || `The server answered ${response.status}.`, field)
}

function readError(text: string): { code?: string; message?: string; field?: string } {
  try {
    return (JSON.parse(text) as { error?: { code?: string; message?: string; field?: string } }).error ?? {}
  } catch {
    return {}
  }
}
