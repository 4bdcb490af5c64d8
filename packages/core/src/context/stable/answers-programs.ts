import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { exchangeAt } from '../digests/exchange.ts'
import { digestProgram } from '../digests/program.ts'

/** The first exchanges that are looked at: whatever comes later, the answer stays. */
const first = 2

/**
 * Whether the answers of a conversation are programs, as those to a lamp are: its first ones tell. Such an answer can be told in a
 * line, from its name to its steps, where one of words cannot.
 */
export function answersPrograms(transcript: Transcript): boolean {
  const { turns } = transcript
  if (turns.length <= first) return false
  const isProgram = (_: unknown, turn: number) =>
    digestProgram(exchangeAt(transcript, turn)) !== undefined
  return remember(transcript, 'answers programs', () => ({
    holds: Array.from({ length: first }, isProgram).every(Boolean),
  })).holds
}
