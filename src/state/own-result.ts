import type { State } from './define-state.ts'
import type { RoundResult } from './read-round.ts'
import { shorten } from './shorten.ts'
import { type Taken, takeResult } from './take-result.ts'

export interface ReadStateOptions {
  /** Results of other projects are skipped. */
  readonly projectId?: string
}

/** The value of a result, if it belongs to the project. The project is checked here, as values are remembered without it. */
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
 * Why a value must not be used in this project; undefined if it may. A history that a client sends can hold anything, also
 * ids of other projects. The other project is not named, as the text may reach the client.
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
