// Waits for promises: one by one, or for so long.
export { oneByOne } from '../turn/wait/one-by-one.ts'
export { withResolvers } from '../turn/wait/with-resolvers.ts'
export { within } from '../turn/wait/within.ts'
