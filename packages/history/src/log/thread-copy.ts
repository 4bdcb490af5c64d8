import type { Transcript } from '@throughline/core/conversation'
import type { Entry } from '@throughline/core/messages'
import type { LogFacts } from './checkpoints.ts'
import { isHandEntry } from './hand-entry.ts'
import type { LoggedMessage } from './logged-message.ts'
import { readLog } from './read-log.ts'
import { type Loading, whileLoading } from './while-loading.ts'

/** A thread as it was at a place, with sizes and words. It can be read on without changing what is held of the thread. */
export interface ThreadCopy {
  readonly at: number
  readonly system: readonly Entry[]
  readonly transcript: Transcript
  readonly facts: LogFacts
  /** The entry at that place, and the last one before it that a model could be asked about. */
  readonly last: LoggedMessage | undefined
  readonly asking: LoggedMessage | undefined
  /** Works with all texts of the copy that the work reads. */
  loaded<T>(work: () => T): Promise<T>
  viewAt(seq: number): LoggedMessage['view'] | undefined
  seqOf(message: object): number | undefined
  /** The same for a fork of the copy. */
  of(transcript: Transcript): ThreadCopy
}

interface CopiedThread extends Pick<ThreadCopy, 'at' | 'system' | 'transcript' | 'facts'> {
  readonly loading: Loading
}

export async function threadCopy({ loading, ...copied }: CopiedThread): Promise<ThreadCopy> {
  const { at } = copied
  let last: LoggedMessage | undefined
  let asking: LoggedMessage | undefined
  for await (const logged of readLog(loading.source, { to: at, reverse: true })) {
    last ??= logged
    if (isHandEntry(logged)) continue
    asking = logged
    break
  }
  const of = (transcript: Transcript): ThreadCopy => ({
    ...copied,
    transcript,
    last,
    asking,
    of,
    loaded: work => whileLoading(transcript, loading, work),
    viewAt(seq) {
      const { system } = copied
      return (system[seq - 1] ?? transcript.entries[seq - system.length - 1])?.source
    },
    seqOf: message => loading.places.get(message),
  })
  return of(copied.transcript)
}
