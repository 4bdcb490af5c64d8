import type { State } from './define-state.ts'
import type { RoundResult } from './read-round.ts'
import { shorten } from './shorten.ts'
import { type Taken, takeResult } from './take-result.ts'

export interface ReadStateOptions {
  /** Results that say that they belong to another project are skipped. */
  readonly projectId?: string
}

/** What a result holds, if this project may have it. Who asks is no part of what is remembered of a message. */
export function takeOwnResult(
  state: State<unknown>,
  result: RoundResult,
  { projectId }: ReadStateOptions,
): Taken {
  const taken = takeResult(state, result)
  if (taken.reason !== undefined) return taken
  const detail = otherProject(state, taken.value, projectId)
  return detail === undefined ? taken : { reason: 'other project', detail }
}

/**
 * Why a value must not be used in this project, or nothing. A history that a client sends can hold anything, the
 * ids of others too. The other project is not named: the text may reach the client.
 */
export function otherProject(
  state: State<unknown>,
  value: unknown,
  projectId: string | undefined,
): string | undefined {
  if (projectId === undefined || state.belongsTo === undefined) return undefined
  let owner: unknown
  try {
    owner = state.belongsTo(value)
  } catch (error) {
    return `belongsTo threw ${shorten(String(error))}`
  }
  return owner === undefined || owner === projectId
    ? undefined
    : `it does not belong to project "${projectId}"`
}
