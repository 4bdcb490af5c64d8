import type { Receipt } from 'throughline'

/** How the window is used, told from the receipt of a context. */
export interface TokenUse {
  readonly window: number
  readonly tokens: number
  /** Kept free for the reply. */
  readonly reserve: number
  /** Kept free because the counter only estimates. */
  readonly margin: number
  /** What the sent tokens are: the instructions (with what the chat's form takes), older exchanges as one line each, whole exchanges, the request. */
  readonly instructions: number
  readonly lines: number
  readonly whole: number
  readonly request: number
  /** How many older exchanges are sent as a line, and how many messages are not sent at all. */
  readonly lineCount: number
  readonly leftOut: number
}

export function toTokenUse({
  window,
  tokens,
  reserve,
  margin,
  parts,
  sent,
  counts,
}: Receipt): TokenUse {
  const [instructions, lines, request] = [parts.system + parts.framing, parts.digests, parts.latest]
  return {
    ...{ window, tokens, reserve, margin, instructions, lines, request },
    whole: tokens - instructions - lines - request,
    // The line of the first exchange is the first message, altered.
    lineCount: sent.filter(({ part }) => part === 'digests').length + counts.altered,
    leftOut: counts.omitted,
  }
}
