import type { UIMissed } from './ui-chunk.ts'

/**
 * Puts what was said in other tabs before the newest message of the user, for `setMessages` of `useChat`. A page that was loaded
 * again while the reply runs has these messages already.
 *
 * @example
 * onData: part => part.type === 'data-missed' && setMessages(shown => withMissed(shown, part.data))
 */
export function withMissed<Shown extends { readonly id: string; readonly role: string }>(
  shown: readonly Shown[],
  { messages }: UIMissed,
): Shown[] {
  const ids = new Set(shown.map(({ id }) => id))
  const at = shown.findLastIndex(({ role }) => role === 'user')
  // They are messages as `useChat` has them, whatever types the page gives to their tools and data.
  const missed = messages.filter(({ id }) => !ids.has(id)) as readonly unknown[] as readonly Shown[]
  return [...shown.slice(0, at), ...missed, ...shown.slice(at)]
}
