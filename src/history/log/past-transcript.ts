import type { Transcript } from '../../context/conversation/transcript.ts'
import { shareIndex } from '../../context/recall/index-transcript.ts'
import type { MessageLike } from '../../log/message.ts'
import { type Loading, whileLoading } from './fit-loading.ts'

/**
 * A copy of a transcript as it was when an entry was the last, or as it would be with a few more messages. It shares the
 * known words with the original.
 */
export async function pastTranscript(
  transcript: Transcript,
  {
    at,
    tail,
    ...loading
  }: Loading & { readonly at: number | undefined; readonly tail: readonly MessageLike[] },
): Promise<Transcript> {
  const { lead } = loading
  const length = at === undefined ? transcript.entries.length : Math.max(0, at - lead)
  const past = transcript.fork(length)
  shareIndex(transcript, past)
  // The copy ends where a unit ends; the missing entries of the next unit are read again.
  for (let next = past.entries.length; next < length; next++) {
    const { source } = await whileLoading(transcript, loading, () => {
      const entry = transcript.entries[next]!
      return { source: entry.source }
    })
    past.append(source, lead + next + 1)
  }
  for (const [n, message] of tail.entries()) past.append(message, lead + length + n + 1)
  return past
}
