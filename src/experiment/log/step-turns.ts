import type { Thread } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { StoredTurn } from '../../stores/store.ts'
import type { TurnData } from '../../turn/index.ts'
import { applyChange, type Patch } from '../environment/environment.ts'
import type { Environment } from '../environment/variable.ts'
import { type ActiveExperiment, type ExperimentsOptions, roleThread } from './active-experiment.ts'
import { lastSnapshot } from './experiment-state.ts'

/** What the log stores beside the messages of a role's turn. */
export interface RoleData extends TurnData {
  /** What a tool changed: in the same entry as its result, so that neither is stored without the other. */
  readonly patches?: readonly Patch[]
  /** The hook that injected this message. */
  readonly hook?: string
}

/** The idempotency key of a role's turn. A second attempt is made if another process closed the first. */
export const turnKey = (step: number, attempt: number): string =>
  attempt === 1 ? `step/${step}` : `step/${step}/${attempt}`

/** The turns of a role in one step, oldest first. */
export async function stepTurns(thread: Thread, step: number): Promise<readonly StoredTurn[]> {
  const turns = await thread.turns()
  return turns.filter(({ key }) => key === turnKey(step, 1) || key?.startsWith(`${turnKey(step, 1)}/`))
}

/** The environment in the middle of a step: as it was at its beginning, with the changes of the roles' turns. */
export async function foldStep(
  options: ExperimentsOptions,
  {
    id,
    roles,
    step,
    environment,
  }: {
    readonly id: string
    readonly roles: readonly string[]
    readonly step: number
    /** The environment when the step began. */
    readonly environment: Environment
  },
): Promise<Environment> {
  let current = environment
  for (const role of roles) {
    const thread = roleThread(options, id, role)
    for (const { first, last } of await stepTurns(thread, step)) {
      const entries = await thread.entries({ at: last, limit: last - first + 1 })
      for (const { data } of entries) current = applyChange(current, (data as RoleData)?.patches ?? [])
    }
  }
  return current
}

/** Reads the environment again from the log, once nobody else can write to it. */
export async function refold(active: ActiveExperiment): Promise<void> {
  const { id, plan, log, step } = active
  const roles = plan.roles.map(({ name }) => name)
  active.environment = await foldStep(active, { id, roles, step, environment: lastSnapshot(log.state) })
}

/** Closes the open turns of an experiment that ends. A turn that is still leased stays. */
export async function cancelTurns(
  options: ExperimentsOptions,
  id: string,
  roles: readonly string[],
): Promise<void> {
  for (const role of roles) {
    try {
      const left = await roleThread(options, id, role).resume()
      await left?.turn.cancel()
    } catch (error) {
      if (!(error instanceof ThroughlineError) || error.code !== 'turn_open') throw error
    }
  }
}
