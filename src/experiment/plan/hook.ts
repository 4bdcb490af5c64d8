import type { ToolOutcome } from '../../turn/index.ts'

/** Where a hook may stand. `after-experiment` runs before the end is recorded. */
export type HookPoint = `${'before' | 'after'}-${'experiment' | 'step' | 'role' | 'model' | 'tool'}`

/** What a hook may decide. A turn that has begun is never torn: its round ends first. */
export interface HookDecision {
  /** A message of the user's: before that of the turn (step, role), or before the model is asked (model). */
  readonly inject?: string
  /** This role does not act in this step; this tool is not run. */
  readonly skip?: true
  /** The roles that are left do not act; then the goals are tested. */
  readonly endStep?: true
  /** Ends the experiment as STOPPED, with this result. */
  readonly stop?: string
}

interface InStep<E> {
  readonly id: string
  /** From 1. After the experiment: how many have ended. */
  readonly step: number
  /** As it is at this moment. It cannot be changed. */
  readonly environment: Readonly<E>
}

interface InRole<E> extends InStep<E> {
  readonly role: string
}

interface InRound<E> extends InRole<E> {
  /** From 1: how often the model was asked in this turn. */
  readonly round: number
}

export interface HookCall {
  readonly name: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
}

interface HookContexts<E> {
  readonly 'before-experiment': InStep<E>
  readonly 'after-experiment': InStep<E> & { readonly status: string; readonly result: string }
  readonly 'before-step': InStep<E>
  readonly 'after-step': InStep<E>
  readonly 'before-role': InRole<E>
  readonly 'after-role': InRole<E>
  readonly 'before-model': InRound<E>
  readonly 'after-model': InRound<E> & { readonly text: string; readonly calls: readonly HookCall[] }
  readonly 'before-tool': InRound<E> & { readonly call: HookCall }
  readonly 'after-tool': InRound<E> & {
    readonly call: HookCall
    readonly result: ToolOutcome
  }
}

interface HookDecisions {
  readonly 'before-experiment': 'stop'
  readonly 'after-experiment': never
  readonly 'before-step': 'inject' | 'endStep' | 'stop'
  readonly 'after-step': 'stop'
  readonly 'before-role': 'inject' | 'skip' | 'endStep' | 'stop'
  readonly 'after-role': 'endStep' | 'stop'
  readonly 'before-model': 'inject' | 'endStep' | 'stop'
  readonly 'after-model': 'endStep' | 'stop'
  readonly 'before-tool': 'skip' | 'endStep' | 'stop'
  readonly 'after-tool': 'endStep' | 'stop'
}

type Allowed<On extends HookPoint> = Pick<HookDecision, HookDecisions[On]>

/**
 * What it decides is recorded before it takes effect, so that a run that is resumed does not ask again. A hook whose
 * answer was not recorded yet, because of a crash or a pause, is asked a second time.
 */
export type Hook<E> = {
  [On in HookPoint]: {
    readonly on: On
    readonly run: (
      context: HookContexts<E>[On],
      // biome-ignore lint/suspicious/noConfusingVoidType: a hook that decides nothing has no `return`.
    ) => Allowed<On> | void | Promise<Allowed<On> | void>
    /** What its failure does: ends the experiment as FAILED, or is recorded and forgotten. Default `abort`. */
    readonly onError?: 'abort' | 'record'
  }
}[HookPoint]

/** A hook, the types of its environment and its point forgotten. */
export interface AnyHook {
  readonly on: HookPoint
  readonly run: (context: never) => unknown
  readonly onError?: 'abort' | 'record'
}
