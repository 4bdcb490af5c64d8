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

/** How many conversations besides that of a walk have a walk that passes. */
export function conversationsOf(
  walks: readonly Walk[],
  { thread }: Walk,
  passes: (walk: Walk) => boolean,
): number {
  const others = walks.filter(one => one.thread.conversation !== thread.conversation && passes(one))
  return new Set(others.map(one => one.thread.conversation)).size
}
