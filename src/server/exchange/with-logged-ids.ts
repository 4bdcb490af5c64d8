import type { LoggedMessage, SeenMessage } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'

/**
 * Results as the log's calls name them. Some clients give calls ids of their own, so that the results would answer nothing.
 * `past`: the client's list up to the results. `entries`: what the log has of the turn.
 */
export function withLoggedIds(
  results: readonly SeenMessage[],
  past: readonly MessageLike[],
  entries: readonly LoggedMessage[],
): readonly SeenMessage[] {
  const clientCalls = callsOf(past.findLast(({ role }) => role === 'assistant'))
  const logged = callsOf(entries.findLast(({ message }) => message.role === 'assistant')?.message)
  if (clientCalls.length !== logged.length) return results
  const ids = new Map<unknown, string>()
  for (const [at, { id, name }] of clientCalls.entries()) {
    const call = logged[at]!
    if (id !== undefined && call.id !== undefined && name === call.name) ids.set(id, call.id)
  }
  return results.map(seen => {
    const id = ids.get(seen.message.tool_call_id)
    return id === undefined ? seen : { ...seen, message: { ...seen.message, tool_call_id: id } }
  })
}

const callsOf = (message: MessageLike | undefined) => (message ? readMessage(message, 0).calls : [])
