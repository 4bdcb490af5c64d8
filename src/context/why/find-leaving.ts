import type { TokenCounter } from '../../tokens/create-counter.ts'
import { meanTurn, type Transcript } from '../conversation/transcript.ts'

/** When a message will leave the context. */
export interface Leaving {
  /** After this many more turns, each as long as the last ones were. */
  readonly turns: number
  /** The tokens of these turns. */
  readonly tokens: number
}

/** How many next turns are tried. */
const mostTurns = 64

/**
 * Goes on with a conversation turn by turn, until a unit is no longer sent. Undefined if it stays for all turns that are
 * tried. The added turns say nothing, so that nothing is recalled for them.
 */
export function findLeaving(
  transcript: Transcript,
  count: TokenCounter,
  isSent: (grown: Transcript) => boolean,
): Leaving | undefined {
  const mean = meanTurn(transcript)
  const grown = copyTranscript(transcript)
  const texts = { user: textOfTokens(count, mean / 3), assistant: textOfTokens(count, (mean * 2) / 3) }
  for (let turn = 1; turn <= mostTurns; turn++) {
    for (const role of ['user', 'assistant'] as const)
      grown.append({ role, content: texts[role] }, grown.entries.length)
    if (!isSent(grown)) return { turns: turn, tokens: turn * mean }
  }
  return undefined
}

/** A copy, of which nothing is remembered. */
export function copyTranscript(transcript: Transcript): Transcript {
  const { entries } = transcript
  const copy = transcript.fork(entries.length)
  // A fork ends where a unit ends.
  for (let at = copy.entries.length; at < entries.length; at++) copy.append(entries[at]!.source, at)
  return copy
}

/** A text of about this many tokens without a word that recall looks for. */
function textOfTokens(count: TokenCounter, tokens: number): string {
  const word = 'so '
  const each = Math.max(1, count.text(word.repeat(100))) / 100
  return word.repeat(Math.min(100_000, Math.max(1, Math.round(tokens / each)))).trim()
}
