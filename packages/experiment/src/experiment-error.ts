import { ThroughlineError } from '@throughline/core/errors'

/** The `code` of an `ExperimentError`. */
export type ExperimentErrorCode =
  /** A plan that cannot be run. */
  | 'invalid_plan'
  /** A goal cannot be tested: an invalid pattern, a text of the wrong form. */
  | 'invalid_goal'
  /** Testing a goal is more work than is allowed. */
  | 'goal_too_long'
  | 'no_experiment'
  | 'experiment_exists'
  /** The experiment has ended: it can be neither paused nor stopped. */
  | 'experiment_ended'
  /** The experiment was begun with a plan of other roles or variables. */
  | 'plan_changed'
  | 'unknown_role'
  /** The reader left before the first event, so the experiment never began. */
  | 'experiment_left'

/** Something that cannot be done with a plan or an experiment. */
export class ExperimentError extends ThroughlineError {
  /** The message says what to do about it. */
  constructor(code: ExperimentErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
  }
}

/** A plan that cannot be run. Lists all problems at once, each with its place. */
export class InvalidPlanError extends ExperimentError {
  /** Each with the field that it is about. */
  declare readonly problems: readonly string[]

  /** `name` is that of the plan; the message lists the problems. */
  constructor(name: string, problems: readonly string[]) {
    super('invalid_plan', `The experiment "${name}" cannot be run. ${problems.join('; ')}.`)
    this.problems = problems
  }
}

/** A value that a variable cannot have. */
export class VariableError extends ThroughlineError {
  /** The name of the variable. */
  readonly variable: string

  /** `problem` says what was expected instead. */
  constructor(variable: string, problem: string) {
    super('invalid_variable', `Variable "${variable}": ${problem}`)
    this.variable = variable
  }
}

/** Ends an experiment as FAILED. The message is its result; the code goes into the turn that failed. */
export class ExperimentFailure extends ThroughlineError {}

/** Waits for work; undefined if it is refused with this code. */
export async function unlessRefused<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === code) return undefined
    throw error
  }
}
