import type { Thread } from '../history/index.ts'
import type { StoredTurn } from '../stores/store.ts'
import { applyChange, type Patch } from './environment.ts'
import { type RunOptions, roleThread } from './run.ts'
import type { Environment } from './variable.ts'

/** What the log keeps besides the messages of a role's turn. */
export interface TurnData {
  /** What a tool changed, in the very entry of its result: neither is ever there without the other. */
  readonly patches?: readonly Patch[]
  /** The note of a reply that had calls: it is kept when the turn ends. */
  readonly note?: string
  /** The hook that put this message here. */
  readonly hook?: string
}

/** The idempotency key of a role's turn: a second attempt is made where the first was closed by somebody else. */
export const turnKey = (step: number, attempt: number): string =>
  attempt === 1 ? `step/${step}` : `step/${step}/${attempt}`

/** The turns of a role in one step, oldest first. */
export async function stepTurns(thread: Thread, step: number): Promise<readonly StoredTurn[]> {
  const turns = await thread.turns()
  return turns.filter(({ key }) => key === turnKey(step, 1) || key?.startsWith(`${turnKey(step, 1)}/`))
}

/** The environment in the middle of a step: that of its beginning, and what the turns of its roles changed since. */
export async function foldStep(
  options: RunOptions,
  {
    id,
    roles,
    step,
    environment,
  }: {
    readonly id: string
    readonly roles: readonly string[]
    readonly step: number
    /** As it was when the step began. */
    readonly environment: Environment
  },
): Promise<Environment> {
  let current = environment
  for (const role of roles) {
    const thread = roleThread(options, id, role)
    for (const { first, last } of await stepTurns(thread, step)) {
      const entries = await thread.entries({ at: last, limit: last - first + 1 })
      for (const { data } of entries) current = applyChange(current, (data as TurnData)?.patches ?? [])
    }
  }
  return current
}
