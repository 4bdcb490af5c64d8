import type { ToolOutcome } from '@throughline/chat/turn'

/** When a hook is asked. `after-experiment`: before the end is recorded. */
export type HookPoint = `${'before' | 'after'}-${'experiment' | 'step' | 'role' | 'model' | 'tool'}`

/** A user message that a hook adds: its text, and images in base64. */
export interface HookMessage {
  /** The text. */
  readonly content: string
  /** Images in base64. Default: none. */
  readonly images?: readonly string[]
}

/** What a hook may decide. A round that has begun always ends first. */
export interface HookDecision {
  /** A user message to add: before that of the turn (step, role), or before the model call (model). */
  readonly inject?: string | HookMessage
  /** Images in base64 that are sent with the message of the turn: to every role (step), or to one (role). */
  readonly images?: readonly string[]
  /** Skips the role in this step, or the tool call. */
  readonly skip?: true
  /** Skips the remaining roles of this step; then the goals are tested. */
  readonly endStep?: true
  /** Ends the experiment as STOPPED, with this result. */
  readonly stop?: string
}

interface InStep<E> {
  readonly id: string
  /** The current step, from 1; after the experiment, how many steps have ended. */
  readonly step: number
  /** The current environment, frozen. */
  readonly environment: Readonly<E>
}

interface RoleContext<E> extends InStep<E> {
  readonly role: string
}

interface InRound<E> extends RoleContext<E> {
  /** The number of the model call in this turn, from 1. */
  readonly round: number
}

/** A tool call, as a hook sees it. */
export interface HookCall {
  /** The name of the tool. */
  readonly name: string
  /** JSON as the model wrote it. */
  readonly arguments: string
}

/** What the hooks of each point are told, and what they may decide. */
interface HookPoints<E> {
  readonly 'before-experiment': [InStep<E>, 'stop']
  readonly 'after-experiment': [
    InStep<E> & { readonly status: string; readonly result: string },
    never,
  ]
  readonly 'before-step': [InStep<E>, 'inject' | 'images' | 'endStep' | 'stop']
  readonly 'after-step': [InStep<E>, 'stop']
  readonly 'before-role': [RoleContext<E>, 'inject' | 'images' | 'skip' | 'endStep' | 'stop']
  readonly 'after-role': [RoleContext<E>, 'endStep' | 'stop']
  readonly 'before-model': [InRound<E>, 'inject' | 'endStep' | 'stop']
  readonly 'after-model': [
    InRound<E> & { readonly text: string; readonly calls: readonly HookCall[] },
    'endStep' | 'stop',
  ]
  readonly 'before-tool': [InRound<E> & { readonly call: HookCall }, 'skip' | 'endStep' | 'stop']
  readonly 'after-tool': [
    InRound<E> & { readonly call: HookCall; readonly result: ToolOutcome },
    'endStep' | 'stop',
  ]
}

type Allowed<On extends HookPoint> = Pick<HookDecision, HookPoints<never>[On][1]>

/** A hook. Its decision is recorded before it takes effect; it is asked again only if a crash or pause came before. */
export type Hook<E> = {
  [On in HookPoint]: {
    readonly on: On
    readonly run: (
      context: HookPoints<E>[On][0],
      // biome-ignore lint/suspicious/noConfusingVoidType: a hook that decides nothing has no `return`.
    ) => Allowed<On> | void | Promise<Allowed<On> | void>
    /** What to do if the hook throws: `abort` (default) ends the experiment as FAILED, `record` logs the error and goes on. */
    readonly onError?: 'abort' | 'record'
  }
}[HookPoint]

/** A hook without the types of its environment and its point. */
export interface AnyHook {
  readonly on: HookPoint
  readonly run: (context: never) => unknown
  readonly onError?: 'abort' | 'record'
}
