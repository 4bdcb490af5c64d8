import { withResolvers } from './with-resolvers.ts'

/** A lock for each name: resolves, when it is free, with its release. `wait` may end the wait for earlier holders. */
export function oneByOne() {
  const last = new Map<string, Promise<void>>()
  return async (
    name: string,
    wait: (before: Promise<void>) => Promise<unknown> = before => before,
  ): Promise<() => void> => {
    const before = last.get(name)
    const { promise: work, resolve: leave } = withResolvers()
    const all = Promise.all([before, work]).then(() => {
      if (last.get(name) === all) last.delete(name)
    })
    last.set(name, all)
    try {
      if (before) await wait(before)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }
}
