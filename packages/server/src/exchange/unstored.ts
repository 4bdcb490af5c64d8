import type { Turn } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { clientMessages } from '../identity/client-message.ts'
import { itemsOf } from '../identity/item.ts'
import { knownClient, sideRequest } from '../identity/known-client.ts'
import { createLogs } from './create-logs.ts'
import { hasPast } from './gather.ts'
import { type Inquiry, logOfPerson } from './inquiry.ts'

/** What becomes of a request that holds its whole list while the store fails: it is answered unstored, or refused. */
export type OnStoreFault = 'pass' | 'refuse'

/** Says that the log has nothing of a request, or not its reply: the next list brings what is missing. */
export const unstoredHeader = { 'x-throughline-stored': 'no' } as const

/** Whether a request says all that its answer needs, so that it can be answered without the log. */
export function holdsItsList({ request, headers }: Pick<Inquiry, 'request' | 'headers'>): boolean {
  const { previous, references = [], past } = request.named
  if (previous !== undefined || references.length > 0 || past !== undefined) return false
  const isDelta = knownClient(request, headers)?.isDelta === true
  return (
    !isDelta ||
    sideRequest(request, headers) !== undefined ||
    hasPast(itemsOf(clientMessages(request.messages)))
  )
}

/** The same request on a log of its own, which is in memory and is thrown away. */
export function besideTheStore(inquiry: Inquiry): Inquiry {
  const { log, now, newId } = inquiry
  const logOf = createLogs({ store: memoryStore({ now }), now, newId })
  return { ...inquiry, log: logOfPerson(logOf(log.tenant), log.history.person) }
}

/** Leaves a turn whose reply could not be stored as soon as the store takes it: until then no other request can go on with it. */
export async function leaveLater(turn: Turn): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    await new Promise(resolve => setTimeout(resolve, pauseMs).unref())
    try {
      return await turn.leave()
    } catch {
      // Its lease runs out by itself, in the end.
    }
  }
}

/** Together at least as long as a lease. */
const mostTries = 60
const pauseMs = 500
