import { readEach, refuse } from '@throughline/core/fields'
import { compactionAnswer, openInput, pack, wishOf } from '@throughline/models/dialects'
import type { Upstream } from '../upstream/upstream.ts'
import { findPlace } from './find-place.ts'
import type { Inquiry } from './inquiry.ts'

/** A compaction names the place in the log, and holds what the log has not yet. Nothing is lost, and no model is asked. */
export async function compact(inquiry: Inquiry, body: unknown): Promise<Response> {
  const { request, newId, now } = inquiry
  const { input } = body as { readonly input?: unknown }
  const list = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const { past: before, items } = openInput(readEach(list, 'input', one => one))
  // Where it belongs is asked as for an ordinary request: a compaction stands beside the conversation.
  const headers = { ...inquiry.headers, 'x-codex-turn-metadata': undefined }
  const place = await findPlace({ ...inquiry, headers })
  if (place.kind !== 'again' && place.repeated !== undefined && request.named.previous)
    refuse(
      'previous_response_id',
      'is inside a turn that went on: name the last response of that turn',
    )
  const { thread, at, from } =
    place.kind === 'again'
      ? { thread: place.thread, at: place.after, from: Number.POSITIVE_INFINITY }
      : {
          thread: place.fork?.of ?? place.thread,
          at: place.fork?.at ?? place.head ?? 0,
          from: place.from,
        }
  const whole = place.kind === 'again' ? request.messages.length : place.messages.length
  /** The first message of the list that the log has not; those before the list are named by the compaction before. */
  const first = from - (whole - request.messages.length)
  const isKnown = at > 0 && first >= 0
  const { conversation, actor, branch } = thread
  const past = isKnown ? { conversation, actor, branch, at } : before
  const origin = isKnown ? request.origins?.[first]?.first : 0
  const rest = origin === undefined ? [] : items.slice(origin)
  const packed = pack(
    past,
    rest.filter(({ type }) => type !== 'compaction_trigger'),
  )
  const start = { id: newId(), time: now(), model: request.model, request, promptTokens: 0 }
  const { type, text } = compactionAnswer(start, packed, wishOf(request) ?? 'item')
  return new Response(text, { headers: { 'content-type': type } })
}

/** Whether an upstream compacts by itself: OpenAI's own servers, which also read what they have compacted. */
export function compactsItself({ address = '', forms }: Upstream): boolean {
  if (!forms?.has('responses') || !URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return /(?:^|\.)(?:openai\.com|openai\.azure\.com)$/.test(hostname)
}
