import { ThroughlineError } from '../../log/error.ts'

/**
 * The JSON of a body; undefined if it is none. The type must be told: a page of another site can send anything else in the
 * name of a user who is logged in by a cookie.
 */
export async function readJsonBody(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new ThroughlineError(
      'unsupported_type',
      'The body must be sent as "content-type: application/json".',
    )
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    pieces.push(decoder.decode(chunk, { stream: true }))
  }
  pieces.push(decoder.decode())
  try {
    return JSON.parse(pieces.join('')) as unknown
  } catch {
    return undefined
  }
}

const tooLarge = (most: number) =>
  new ThroughlineError('too_large', `The body has more than ${most} bytes: see "maxBodyBytes".`)
