import { ThroughlineError } from './error.ts'

/** A request that cannot be understood. The message names the field and says what it should be. */
export class BadRequestError extends ThroughlineError {
  /** Where in the body: `messages[3].content`. */
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super('bad_request', message)
    this.field = field
  }
}
