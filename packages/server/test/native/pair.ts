import { upstreamWith } from '@throughline/models/fixtures'
import type { UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import type { Upstream } from '../../src/upstream/upstream.ts'

type Fields = Readonly<Record<string, unknown>>

/** A form in which a client and an upstream speak with each other. */
export interface Pair {
  readonly name: string
  readonly path: string
  /** The field that holds the conversation. */
  readonly list: string
  /** Every documented field of the API, and ten invented ones. */
  readonly body: Fields
  upstream(url: string, window: number): Upstream
  /** The entries of an earlier turn. */
  turn(at: number, text: string): readonly object[]
  question(text: string): object
  /** What a client says about the length of a reply. */
  readonly limit: Fields
  readonly stream: {
    readonly chunks: readonly string[]
    readonly headers: Readonly<Record<string, string>>
  }
  readonly whole: string
  /** The text of both replies. */
  readonly said: { readonly stream: string; readonly whole: string }
}

/** Ten fields that no API has, with values that are easily changed on the way. */
export const invented: Fields = {
  x_one: 1,
  x_two: null,
  x_three: { deep: [{ empty: {} }, []] },
  x_four: 'é\u2028"',
  x_five: false,
  x_six: '',
  x_seven: [],
  x_eight: -0.1,
  'x-nine': 1e21,
  'x ten': { a: 'b' },
}

/** A server before an upstream of the pair's form. */
export async function startPair(
  pair: Pair,
  answer: UpstreamAnswer = pair.stream,
  window = 200_000,
  options: Parameters<typeof startServer>[0] = {},
) {
  const scripted = await upstreamWith(({ path }) =>
    path.startsWith(pair.path)
      ? answer
      : { status: 404, body: { error: { message: 'no such path' } } },
  )
  const server = await startServer({ upstream: pair.upstream(scripted.url, window), ...options })
  const ask = (text: string, headers: Readonly<Record<string, string>> = {}, query = '') =>
    fetch(`${server.url}${pair.path}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    })
  /** The requests for a reply that the upstream got. */
  const got = () => scripted.requests.filter(({ path }) => path.startsWith(pair.path))
  return { ...server, scripted, ask, got }
}

/** A body as clients may write it: with spaces, and numbers in a form of their own. */
export const written = (body: Fields, isStreamed: boolean): string =>
  JSON.stringify({ ...body, stream: isStreamed }, undefined, 1).replace(
    '"x_one": 1',
    '"x_one": 1.0',
  )
