import { emptyEntries } from '../../context/checkpoint/absent-entry.ts'
import { unitsPerCheckpoint } from '../../context/checkpoint/pack-checkpoint.ts'
import { createTranscript } from '../../context/conversation/transcript.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import { cacheKey, makeCheckpoint } from './checkpoints.ts'
import { type LogSource, readLog, threadName } from './read-log.ts'

/**
 * Makes the checkpoints of a thread again from its log and compares them with what is kept. Gives what is wrong, in
 * words; with `rebuild` the right ones are kept in their place. A checkpoint that is missing is no fault.
 */
export async function checkCheckpoints(
  source: LogSource,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<readonly string[]> {
  const { store, key, count } = source
  const transcript = createTranscript<MessageLike>(count)
  const calibrations: (readonly [number, Calibration])[] = []
  const problems: string[] = []
  let [lead, number] = [0, 0]

  async function compare(): Promise<void> {
    const made = makeCheckpoint(transcript, { lead, calibrations }, number)
    const kept = await store.loadCache(key, cacheKey(source, number))
    if (kept && !(kept.at === made.at && isSame(kept.bytes, made.bytes)))
      problems.push(`${threadName(key)}: checkpoint ${number} is not what the log says`)
    if (rebuild) await store.saveCache(key, cacheKey(source, number), made.at, made.bytes)
    const first = transcript.units[number * unitsPerCheckpoint]!.from
    number += 1
    emptyEntries(transcript, first, transcript.units[number * unitsPerCheckpoint]!.from)
  }

  for await (const { view, seq, calibration } of readLog(source)) {
    if (calibration) calibrations.push([seq, calibration])
    if (view.role === 'system' && transcript.entries.length === 0) lead += 1
    else transcript.append(view, seq)
    if (transcript.units.length > (number + 1) * unitsPerCheckpoint + 1) await compare()
  }
  return problems
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
