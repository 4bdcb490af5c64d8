import { ThroughlineError } from '../../log/error.ts'

/** A request without a key that is good for it. */
export class AuthError extends ThroughlineError {
  constructor(code: 'key_missing' | 'key_unknown' | 'no_scope', message: string) {
    super(code, message)
  }
}
