import { listLog } from '../../../history/log/read-log.ts'
import { createRests } from '../../../history/log/rests.ts'
import type { MessageLike } from '../../../log/message.ts'
import { readMessage } from '../../../log/parse-message.ts'
import { checkedCounter } from '../../../tokens/create-counter.ts'
import { findPlace } from '../../exchange/find-place.ts'
import { type Inquiry, sourceOf } from '../../exchange/inquiry.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'

/**
 * The tokens of all that a request says, with the past that it only names: exact where the upstream counts, else by our own
 * count. The prompt that is sent may be smaller, because it is fitted into the window.
 */
export async function countRequest(inquiry: Inquiry, upstreams: Upstreams): Promise<number> {
  const { request, log, signal } = inquiry
  const { system, tools, model } = request
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...(await saidBefore(inquiry)),
  ]
  const exact = await upstreams.count(model, { messages, tools, signal }).catch(() => undefined)
  if (exact !== undefined) return exact
  const count = checkedCounter(log.history.count)
  const rest = createRests()
  let sum = count.tools(tools) + count.prompt
  for (const [at, message] of messages.entries()) {
    const read = readMessage(message, at)
    sum += count.message(read)
    const pause = rest(read.text.length)
    if (pause) await pause
  }
  return sum
}

/** The messages of a request, behind those that it goes on from. */
async function saidBefore(inquiry: Inquiry): Promise<readonly MessageLike[]> {
  const { log, request } = inquiry
  const { previous, conversation } = request.named
  if (previous === undefined && conversation === undefined) return request.messages
  const place = await findPlace(inquiry)
  if (place.kind === 'again') return request.messages
  const key = place.fork?.of ?? place.thread
  const to = place.fork?.at ?? (await log.store.head(key))?.head ?? 0
  const past = await listLog(sourceOf(log, key), { to })
  return [...past.map(({ view }) => view), ...place.messages.slice(place.from)]
}
