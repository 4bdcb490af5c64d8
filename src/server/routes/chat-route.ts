import { BadRequestError } from '../bad-request-error.ts'
import type { AnswerOptions } from '../exchange/answer.ts'
import type { Log } from '../exchange/asked.ts'
import { faultResponse, type Outcome, respond } from '../exchange/respond.ts'
import { toFault } from '../exchange/to-fault.ts'
import type { Face } from '../faces/index.ts'
import type { HeadersOf } from '../identity/known-client.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { textOf } from './pass-on.ts'

/** What became of a request, for logs and metrics: no texts. */
export interface Served extends Outcome {
  readonly requestId: string
  readonly face: Face['name']
  readonly model?: string
  /** How long it took, in milliseconds. */
  readonly ms: number
}

export interface ChatRoute {
  readonly upstream: Upstream
  readonly options: AnswerOptions
  readonly maxBodyBytes: number
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
  readonly keyId: string
}

/** Answers a request on one of the faces. */
export async function answerChat(
  { upstream, options, maxBodyBytes, now, newId, onServed }: ChatRoute,
  { face, request, requestId, conversation, log, keyId }: ChatCall,
): Promise<Response> {
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
    const text = (await textOf(request.body ?? nothing(), maxBodyBytes)).toString('utf8')
    const read = face.read(parse(text))
    model = read.model
    const asked = {
      ...{ log, headers, keyId, newId },
      face: face.name,
      request: read,
      signal: request.signal,
    }
    const modelFor = upstream.model
    return await respond({ asked, face, requestId, modelFor, options, now, tell })
  } catch (error) {
    const fault = toFault(error)
    tell({ fault })
    return faultResponse(face, fault, requestId, { 'x-request-id': requestId })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError('The body is no JSON.')
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
