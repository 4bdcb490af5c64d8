import { emptyEntries } from '../../context/checkpoint/absent-entry.ts'
import { unitsPerCheckpoint } from '../../context/checkpoint/pack-checkpoint.ts'
import { createConversation } from '../../context/conversation/conversation.ts'
import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import { plural } from '../../log/line.ts'
import type { StoredEntry } from '../../stores/store.ts'
import { CorruptEntryError } from '../../stores/store-error.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { addFacts, cacheKey, type LogFacts, makeCheckpoint } from './checkpoints.ts'
import { fromEntry, type LoggedMessage } from './logged-message.ts'
import { type LogSource, threadName } from './read-log.ts'

/**
 * Reads a thread as contexts do, makes its checkpoints again and compares them with the stored ones. Returns the faults
 * in words; `rebuild` replaces the stored checkpoints. A missing checkpoint is no fault.
 */
export async function checkLog(
  source: LogSource,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<readonly string[]> {
  const { store, key, count } = source
  const conversation = createConversation(count)
  const { transcript } = conversation
  const facts: LogFacts = { calibrations: [] }
  const problems: string[] = []
  const name = threadName(key)
  let number = 0

  async function compare(): Promise<void> {
    const made = makeCheckpoint(transcript, { lead: conversation.system.length, ...facts }, number)
    const kept = await store.loadCache(key, cacheKey(source, number))
    if (kept && !(kept.at === made.at && isSame(kept.bytes, made.bytes)))
      problems.push(`${name}: checkpoint ${number} is not what the log says`)
    if (rebuild) await store.saveCache(key, cacheKey(source, number), made.at, made.bytes)
    const first = transcript.units[number * unitsPerCheckpoint]!.from
    number += 1
    emptyEntries(transcript, first, transcript.units[number * unitsPerCheckpoint]!.from)
  }

  let isBroken = false
  const report = (error: unknown) => {
    if (!(error instanceof CorruptEntryError)) throw error
    isBroken = true
    problems.push(error.message)
  }
  try {
    for await (const entry of store.entries(key)) {
      try {
        const logged = recount(entry, name, count, problems)
        // Checkpoints end before the first entry that cannot be read.
        if (isBroken) continue
        addFacts(facts, logged)
        conversation.append(logged.view, logged.seq)
      } catch (error) {
        report(error)
      }
      if (transcript.units.length > (number + 1) * unitsPerCheckpoint + 1) await compare()
    }
  } catch (error) {
    report(error)
  }
  return problems
}

/** Reads an entry and counts its tokens again. */
function recount(entry: StoredEntry, name: string, count: TokenCounter, problems: string[]): LoggedMessage {
  const logged = fromEntry({ ...entry, tokens: {} }, name, count)
  const { tokens } = stampEntry(logged.view, entry.seq, count)
  const stored = entry.tokens[count.id] ?? tokens
  if (stored !== tokens)
    problems.push(`${name}: entry ${entry.seq} has ${plural(tokens, 'token')}, its count says ${stored}`)
  return logged
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
