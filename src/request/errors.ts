import { ThroughlineError } from '../log/error.ts'
import type { SkippedResult } from '../state/index.ts'

/** A function that needs a request context was called outside of one. */
export class NoRequestContextError extends ThroughlineError {
  constructor() {
    super(
      'no_request_context',
      'There is no request context here: wrap the handler in runWithContext({ conversation }, …); callbacks and streams that are driven from outside of it need bindContext or bindStream',
    )
  }
}

/** A tool needs a state that has no value. The message is for the model: it says which tool makes one. */
export class StateMissingError extends ThroughlineError {
  readonly state: string
  /** Results that were found and could not be used, with the reasons. */
  readonly skipped: readonly SkippedResult[]

  constructor(state: string, message: string, skipped: readonly SkippedResult[]) {
    super('state_missing', message)
    this.state = state
    this.skipped = skipped
  }
}

/** A thing belongs to another project. The message does not name that project, as it may reach the client. */
export class OtherProjectError extends ThroughlineError {
  readonly subject: string

  constructor(subject: string) {
    super('other_project', `"${subject}" does not belong to the project of this request: use one that does`)
    this.subject = subject
  }
}

/** A tool asked for a state that was not declared, in a conversation of which only the newest part is loaded. */
export class StateUndeclaredError extends ThroughlineError {
  readonly state: string

  constructor(state: string) {
    super(
      'state_undeclared',
      `This conversation is too long to be held whole, so the state "${state}" must be declared: name it in the \`state\` option of createChat`,
    )
    this.state = state
  }
}
