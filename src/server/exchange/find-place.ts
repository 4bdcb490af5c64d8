import { plural } from '../../log/line.ts'
import type { MessageLike } from '../../log/message.ts'
import { addedMessages } from '../identity/added-messages.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import type { Inquiry } from './inquiry.ts'
import type { Again, LogPlace } from './log-place.ts'
import { withReferences } from './with-references.ts'

/**
 * Finds the place of a request in the log. Messages that `fit` has added at the client are not part of what was said, unless
 * the log has them: then a user has said the same.
 */
export async function findPlace(inquiry: Inquiry): Promise<LogPlace | Again> {
  const placeOf = async (list: readonly MessageLike[]) => decide(await gather(inquiry, list), inquiry.newId)
  const messages = await withReferences(inquiry)
  const added = addedMessages(messages)
  const place = await placeOf(messages)
  if (added.size === 0 || place.kind === 'again') return place
  if (place.kind === 'extends' && [...added].every(at => at < place.from)) return place
  const rest = await placeOf(messages.filter((_, at) => !added.has(at)))
  if (rest.kind === 'again') return rest
  // The log has nothing of this conversation: what was recalled for it stands nowhere else.
  if (rest.kind === 'new') return place
  return { ...rest, why: `${rest.why}; ${plural(added.size, 'message')} that Throughline had added left out` }
}
