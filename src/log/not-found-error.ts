import { ThroughlineError } from './error.ts'

/** Something that a request names and that is not here, or not for this client. */
export class NotFoundError extends ThroughlineError {
  readonly field: string | undefined

  constructor(code: string, message: string, field?: string) {
    super(code, message)
    this.field = field
  }
}
