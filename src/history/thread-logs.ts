import type { ThreadKey } from '../stores/store.ts'
import type { ThreadLog } from './thread-log.ts'

/** What is known of the threads that were used last: a server asks for the same few again and again. */
export function createThreadLogs(
  create: (key: ThreadKey) => ThreadLog,
  most = 64,
): (key: ThreadKey) => ThreadLog {
  const known = new Map<string, ThreadLog>()
  return key => {
    const name = JSON.stringify([key.tenant, key.conversation, key.actor, key.branch])
    const log = known.get(name) ?? create(key)
    // Set again, it is the youngest; the first one is the oldest.
    known.delete(name)
    known.set(name, log)
    if (known.size > most) known.delete(known.keys().next().value!)
    return log
  }
}
