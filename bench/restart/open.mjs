// One fresh process: opens a history and makes the first context of its thread. The figures go to stdout as JSON.
import { createHash } from 'node:crypto'

const [path, dist = new URL('../../dist', import.meta.url).href] = process.argv.slice(2)
const { createHistory } = await import(`${dist}/history/index.js`)
const { sqliteStore } = await import(`${dist}/stores/sqlite/sqlite-store.js`)

// What every process pays before it can begin: Node itself, and the modules. It is no part of the context.
const bareMs = performance.now()
const counted = { cacheBytes: 0, payloadBytes: 0, storeCalls: 0 }
const began = performance.now()
const spent = process.cpuUsage()
const store = sqliteStore({ path })
const thread = createHistory({ store: counting(store), window: 4096, now: () => 1 }).thread('talk')
const { messages } = await thread.context()
const firstMs = performance.now() - began
const { user, system } = process.cpuUsage(spent)
const cpuMs = (user + system) / 1000
const first = { ...counted }
const again = performance.now()
await thread.seed({ role: 'user', content: 'What did Ada say about the price list in Lisbon?' })
await thread.context()
const nextMs = performance.now() - again
await store.close()
globalThis.gc?.()
const contextHash = createHash('sha256').update(JSON.stringify(messages)).digest('hex')
const memoryMB = process.memoryUsage().rss / 1e6
console.log(JSON.stringify({ bareMs, firstMs, cpuMs, nextMs, memoryMB, ...first, contextHash }))

/** The store, with the bytes counted that it gives: of caches as they are used, and of payloads. */
function counting(store) {
  const asked =
    name =>
    (...given) => {
      counted.storeCalls += 1
      return store[name](...given)
    }
  return {
    ...Object.fromEntries(Object.keys(store).map(name => [name, asked(name)])),
    async loadCache(...given) {
      counted.storeCalls += 1
      const saved = await store.loadCache(...given)
      counted.cacheBytes += saved?.bytes.length ?? 0
      return saved
    },
    async *entries(...given) {
      counted.storeCalls += 1
      for await (const entry of store.entries(...given)) {
        counted.payloadBytes += entry.payload.length
        yield entry
      }
    },
  }
}
