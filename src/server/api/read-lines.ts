import { ThroughlineError } from '../../log/error.ts'
import { atMost } from '../routes/pass-on.ts'

/** The lines of a body. A line or a body with more bytes than it may have is refused. */
export async function* readLines(
  body: AsyncIterable<Uint8Array> | null,
  most: { readonly line: number; readonly all: number },
): AsyncGenerator<string> {
  if (!body) return
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  for await (const chunk of atMost(body, most.all)) {
    const [first, ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [at, text] of [first!, ...rest].entries()) {
      if (at > 0) {
        yield* lineOf(parts)
        parts = []
        length = 0
      }
      parts.push(text)
      length += text.length
      if (length > most.line)
        throw new ThroughlineError(
          'too_large',
          `A line has more than ${most.line} characters: see "maxBody".`,
        )
    }
  }
  yield* lineOf(parts)
}

function* lineOf(parts: readonly string[]): Generator<string> {
  const line = parts.join('')
  if (line.trim() !== '') yield line
}
