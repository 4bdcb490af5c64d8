import type { ThreadKey } from '../../stores/store.ts'
import type { Walk } from './walk.ts'

/**
 * The walk that agrees longest; among equals the one from which the least was left out, then one that the list goes on from,
 * then the newest. Lists that agree from the first message on say the same up to here, so either may go on.
 */
export function bestOf(walks: readonly Walk[]): Walk | undefined {
  const rank = ({ items, front, hasMore }: Walk) => items * 4 + (front === 'less' ? 0 : 2) + (hasMore ? 0 : 1)
  return walks.reduce<Walk | undefined>(
    (best, walk) => (best && rank(best) >= rank(walk) ? best : walk),
    undefined,
  )
}

/** Counts the other conversations or threads (as `nameOf` names them) that have a walk that passes. */
export function others(
  walks: readonly Walk[],
  { thread }: Walk,
  nameOf: (thread: ThreadKey) => string,
  passes: (walk: Walk) => boolean,
): number {
  const names = new Set(walks.filter(passes).map(walk => nameOf(walk.thread)))
  names.delete(nameOf(thread))
  return names.size
}

export const nameOfConversation = ({ conversation }: ThreadKey): string => conversation

export const nameOfThread = ({ conversation, actor, branch }: ThreadKey): string =>
  [conversation, actor, branch].join('\n')
