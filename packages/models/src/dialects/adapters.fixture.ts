import { BadRequestError } from '@throughline/core/errors'
import { parseMessage } from '@throughline/core/messages'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Adapter, ChatRequest, ReplyEnd, ReplyStart } from './adapter.ts'
import { signOfLife } from './reply-stream.ts'

/** What a model says, for a test to write through an adapter and to read back through the client library of its wire. */
export interface SampleReply {
  readonly thinking?: readonly string[]
  readonly text?: readonly string[]
  readonly calls?: readonly ReplyEnd['calls'][number][]
  readonly reason?: ReplyEnd['reason']
  readonly usage?: ReplyEnd['usage']
  readonly details?: ReplyEnd['details']
  readonly logprobs?: ReplyEnd['logprobs']
}

export function startOf(adapter: Adapter, body: object): ReplyStart {
  return startFor(adapter.read(body))
}

export function startFor(request: ChatRequest): ReplyStart {
  return { id: 'abc', time: Date.UTC(2026, 7, 1), model: request.model, request, promptTokens: 21 }
}

export function endOf({ thinking = [], text = [], calls = [], ...rest }: SampleReply): ReplyEnd {
  const { reason = calls.length > 0 ? 'tool-calls' : 'stop', usage = {}, details, logprobs } = rest
  return {
    reason,
    text: text.join(''),
    thinking: thinking.join(''),
    calls,
    usage,
    ...(details && { details }),
    ...(logprobs && { logprobs }),
  }
}

/** The whole stream of a reply, with something to keep it alive between any two pieces. */
export function streamOf(adapter: Adapter, start: ReplyStart, reply: SampleReply): string {
  const stream = adapter.stream(start)
  const { thinking = [], text = [], calls = [], logprobs } = reply
  return [
    stream.start(),
    ...thinking.map(delta => stream.thinking(delta)),
    ...text.map((delta, at) => stream.text(delta, at === 0 ? logprobs : undefined)),
    calls.length > 0 ? stream.calls(calls) : '',
    stream.end(endOf(reply)),
  ].join(signOfLife(adapter, stream))
}

/** A `fetch` that answers everything with this text, in pieces of these sizes in bytes; the last size is repeated. */
export function answering(
  text: string,
  {
    type,
    status = 200,
    sizes = [1_000_000],
  }: { type: string; status?: number; sizes?: readonly number[] },
): typeof fetch {
  return async () => {
    const bytes = new TextEncoder().encode(text)
    let at = 0
    let piece = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        const size = sizes[Math.min(piece++, sizes.length - 1)]!
        controller.enqueue(bytes.subarray(at, at + size))
        at += size
      },
    })
    return new Response(body, { status, headers: { 'content-type': type } })
  }
}

export const answeringJson = (body: unknown, status = 200): typeof fetch =>
  answering(JSON.stringify(body), { type: 'application/json', status })

/** Texts with what breaks lines, encodings and JSON. */
export const odd = [
  'Wie heißt ',
  'du?\n\n',
  'data: [DONE]\n',
  '\u2028\u2029\u0085',
  '𝔘🎉',
  '\ud800',
  '"\\ \r\n',
]

export const oddText = odd.join('')

export const calls: readonly ReplyEnd['calls'][number][] = [
  { id: 'call_1', name: 'wind', arguments: '{"city":"Kiel","days":2}' },
  { id: 'call_2', name: 'tide', arguments: '{}' },
]

/** Sizes of pieces that cut a stream anywhere, also inside a character. */
export const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 })

/** The error that an adapter throws for a body; every message of a body that it takes must be readable. */
export function refusalOf(adapter: Adapter, body: unknown): BadRequestError | undefined {
  let request: ChatRequest
  try {
    request = adapter.read(body)
  } catch (error) {
    if (error instanceof BadRequestError) return error
    throw error
  }
  for (const [seq, message] of request.messages.entries()) {
    if (message.role === 'assistant_note') throw new Error('a client wrote a note')
    parseMessage(message, seq)
  }
  JSON.stringify(request)
  return undefined
}

/** A value nested so deep that writing it as JSON fails. */
export function deep(levels = 20_000): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

/** Whatever stands in place of any value inside a good body: it is read as a valid request or refused, and often refused. */
export function expectDamagedIsRefused(adapter: Adapter, good: unknown, seed: number): void {
  let refused = 0
  fc.assert(
    fc.property(damaged(good), body => {
      if (refusalOf(adapter, body)) refused++
    }),
    { seed, numRuns: process.env.THROUGHLINE_LONG ? 20_000 : 150 },
  )
  expect(refused).toBeGreaterThan(50)
}

/** Puts any JSON in place of any value inside a good body. */
export function damaged(good: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(good)
  return fc
    .tuple(
      fc.constantFrom(...places),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...hostile)),
    )
    .map(([place, value]) => replaced(good, place, value))
}

const hostile: readonly unknown[] = [
  undefined,
  Number.POSITIVE_INFINITY,
  -1,
  '__proto__',
  'assistant_note',
  'tool-call',
  'tool_result',
  {},
  [],
  [[]],
  [null],
  { type: 'tool-call' },
  [{ type: 'tool_use' }],
]

type ValuePlace = readonly (string | number)[]

function placesIn(value: unknown, at: ValuePlace = []): readonly ValuePlace[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))]
}

function replaced(value: unknown, [key, ...rest]: ValuePlace, by: unknown): unknown {
  if (key === undefined) return by
  const inner = (value as Record<string, unknown>)[key]
  if (Array.isArray(value)) return value.with(Number(key), replaced(inner, rest, by))
  return { ...(value as object), [key]: replaced(inner, rest, by) }
}
