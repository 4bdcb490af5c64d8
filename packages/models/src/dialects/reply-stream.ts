import { isCount } from '@throughline/core/values'
import type { ReplyCall } from '../model.ts'
import { sseComment } from '../sse.ts'
import type { Adapter, ReplyEnd, ReplyStart, ReplyStream } from './adapter.ts'

interface StreamPiece {
  readonly kind: 'text' | 'thinking'
  text: string
  readonly logprobs: unknown[]
}

/** What differs between the streams of the adapters. Each function returns what is to be sent. */
interface StreamForm
  extends Pick<ReplyStream, 'end' | 'fail' | 'idle'>,
    Partial<Pick<ReplyStream, 'start'>> {
  /** Begins a piece. Without `open` and `close`, pieces are not marked. */
  open?(kind: StreamPiece['kind']): string
  /** A part of the open piece; never empty. */
  delta(kind: StreamPiece['kind'], text: string, logprobs: readonly unknown[]): string
  /** Ends a piece. `end` is given if it is the last of the reply. */
  close?(piece: StreamPiece, end?: ReplyEnd): string
  /** `from`: how many calls came before. */
  calls(calls: readonly ReplyCall[], from: number): string
}

/** Writes a stream in the form of an adapter. One piece is open at a time, and closed before anything else begins. */
export function replyStream(form: StreamForm): ReplyStream {
  let piece: StreamPiece | undefined
  let called = 0

  function close(end?: ReplyEnd): string {
    const closed = piece && form.close?.(piece, end)
    piece = undefined
    return closed ?? ''
  }

  function write(
    kind: StreamPiece['kind'],
    text: string,
    logprobs: readonly unknown[] = [],
  ): string {
    if (text === '' && logprobs.length === 0) return ''
    let begun = ''
    if (piece?.kind !== kind) {
      begun = close() + (form.open?.(kind) ?? '')
      piece = { kind, text: '', logprobs: [] }
    }
    // Only an adapter that closes its pieces reads them again.
    if (form.close) {
      piece.text += text
      for (const one of logprobs) piece.logprobs.push(one)
    }
    return begun + form.delta(kind, text, logprobs)
  }

  return {
    start: () => form.start?.() ?? '',
    text: (delta, logprobs) => write('text', delta, logprobs),
    thinking: delta => write('thinking', delta),
    calls(calls) {
      if (calls.length === 0) return ''
      const from = called
      called += calls.length
      return close() + form.calls(calls, from)
    },
    end: end => close(end) + form.end(end),
    fail: form.fail,
    idle: form.idle,
  }
}

/** The tokens of a reply: the provider's counts, or ours of the prompt where it gave none. `cached` is a part of `prompt`. */
export function tokensOf(start: ReplyStart, end: ReplyEnd) {
  const { promptTokens, replyTokens, cachedTokens } = end.usage
  const prompt = countOr(promptTokens, countOr(start.promptTokens, 0))
  return {
    prompt,
    reply: countOr(replyTokens, 0),
    cached: Math.min(countOr(cachedTokens, 0), prompt),
  }
}

/** NaN and the like would be written as null, which strict clients refuse. */
function countOr(value: number | undefined, other: number): number {
  return isCount(value) ? value : other
}

/** What keeps a silent stream alive: a comment among events; nothing among lines, where clients fail on an empty one. */
export const signOfLife = ({ streamType }: Adapter, stream: ReplyStream): string =>
  stream.idle?.() ?? (streamType === 'text/event-stream' ? sseComment : '')
