import { breathe } from '../../history/log/rests.ts'
import { BadRequestError } from '../../log/bad-request-error.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Cancels } from '../../turn/cancels.ts'
import type { Caller } from '../auth/caller.ts'
import { refuseExperiment, refuseInner } from '../auth/refuse-hidden.ts'
import type { AnswerOptions } from '../exchange/answer.ts'
import type { Log } from '../exchange/asked.ts'
import { faultResponse } from '../exchange/reply-writer.ts'
import { type Outcome, respond } from '../exchange/respond.ts'
import type { ChatRequest, Face } from '../faces/index.ts'
import type { Gate } from '../guard/create-gate.ts'
import type { JsonLimits } from '../guard/parse-body.ts'
import { itemsOf } from '../identity/chain.ts'
import { type HeadersOf, knownClient } from '../identity/known-client.ts'
import { toFault } from '../to-fault.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { loadModel } from './load-model.ts'
import { readBody } from './read-body.ts'

/** What became of a request, for logs and metrics: no texts. */
export interface Served extends Outcome {
  readonly requestId: string
  readonly face: Face['name'] | 'ui-chat'
  readonly model?: string
  /** How long it took, in milliseconds. */
  readonly ms: number
}

export interface ChatRoute {
  readonly upstream: Upstream
  readonly options: AnswerOptions
  readonly maxBodyBytes: number
  readonly json: JsonLimits
  /** Parses the body of an owner, who may have sent most of it before. */
  readonly parse: (body: Buffer, owner: string) => unknown
  readonly maxMessages: number
  /** The replies that are being written. */
  readonly gate: Gate
  readonly cancels: Cancels
  /** How long a client may leave a stream unread. */
  readonly unreadMs: number
  /** After how much silence a stream sends a sign of life. */
  readonly keepAliveMs: number
  readonly now: () => number
  readonly newId: () => string
  readonly onServed?: ((served: Served) => void) | undefined
}

export interface ChatCall {
  readonly face: Face
  readonly request: Request
  readonly requestId: string
  /** The conversation in the path: `/c/<conversation>/…`. */
  readonly conversation: string | undefined
  readonly log: Log
  readonly caller: Caller
}

/** Answers a request on one of the faces. */
export async function answerChat(
  { upstream, options, gate, cancels, unreadMs, keepAliveMs, now, newId, onServed, ...limits }: ChatRoute,
  { face, request, requestId, conversation, log, caller }: ChatCall,
): Promise<Response> {
  const { keyId } = caller
  const started = performance.now()
  let model: string | undefined
  const tell = (outcome: Outcome) =>
    onServed?.({
      ...{ requestId, face: face.name, ms: performance.now() - started },
      ...(model !== undefined && { model }),
      ...outcome,
    })
  try {
    const headers: HeadersOf = {
      ...Object.fromEntries(request.headers),
      ...(conversation !== undefined && { 'x-throughline-conversation': conversation }),
    }
    const body = await readBody(request, limits.maxBodyBytes)
    const parsed = limits.parse(body, keyId)
    if (body.length > manyBytes) await breathe()
    const read = face.read(parsed, headers)
    model = read.model
    if (read.hints.load !== undefined) {
      const loaded = await loadModel(upstream, { face, request, read, body, now })
      tell({})
      return loaded
    }
    checkMessages(read, face, limits.maxMessages)
    await readItems(read.messages)
    const named = knownClient(read, headers)
    refuseInner(named?.actor)
    await refuseExperiment(log, named?.conversation, caller)
    const asked = {
      ...{ log, headers, keyId, newId, now },
      face: face.name,
      request: read,
      signal: request.signal,
    }
    const modelFor = upstream.model
    const leave = gate.enter()
    return await respond({
      asked,
      face,
      requestId,
      modelFor,
      options,
      cancels,
      unreadMs,
      keepAliveMs,
      now,
      tell,
      leave,
    })
  } catch (error) {
    const fault = toFault(error)
    tell({ fault })
    return faultResponse(face, fault, requestId, { 'x-request-id': requestId })
  }
}

/** A body of so many bytes is parsed and read in pieces of some milliseconds at least: others get their turn in between. */
const manyBytes = 256 * 1024

/** Reads what is compared of each message, piece by piece. It is remembered, so that identity finds it. */
async function readItems(messages: readonly MessageLike[]): Promise<void> {
  for (let at = 0; at + itemsInRow < messages.length; at += itemsInRow) {
    itemsOf(messages.slice(at, at + itemsInRow))
    await breathe()
  }
}

const itemsInRow = 256

/** A request needs something to answer, and not more than may be read. */
export function checkMessages({ messages, named }: ChatRequest, { name }: Face, most: number): void {
  const field = name === 'responses' ? 'input' : 'messages'
  if (messages.length > most)
    throw new BadRequestError(`A request may have ${most} messages: see "maxMessages".`, field)
  if (messages.length === 0 && !named.references?.length)
    throw new BadRequestError(`"${field}" must hold at least one message that is no system message`, field)
}
