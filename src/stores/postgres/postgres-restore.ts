import { checkStretch } from '../check-stretch.ts'
import { forkedElsewhere, noParent, notAPlace } from '../refusals.ts'
import type { RestoreEntries, Store } from '../store.ts'
import { KeyReusedError } from '../store-error.ts'
import { caller, headOf } from './answer.ts'
import { checkKey } from './check-key.ts'
import type { Database } from './database.ts'
import type { ToRecords } from './to-records.ts'

/** Restores a stretch in one statement: all of it, or nothing. */
export function postgresRestore(
  database: Database,
  schema: string,
  maxEntryBytes: number,
  toRecords: ToRecords,
): Store['restore'] {
  const call = caller(database, schema)

  return async (thread, stretch) => {
    const { forkOf, entries, turns } = stretch
    checkKey(thread, entries.map(({ id }) => id).concat(turns.flatMap(({ key }) => key ?? [])))
    checkStretch(stretch, maxEntryBytes)
    if (forkOf && !Number.isInteger(forkOf.at)) throw notAPlace(forkOf.at)
    const from = entries[0]?.seq ?? turns[0]?.first ?? null
    const answer = await call('restore_entries', thread, [
      thread.tenant,
      thread.conversation,
      forkOf?.branch ?? null,
      forkOf?.at ?? null,
      from,
      firstTime(stretch),
      JSON.stringify(toRecords(thread, entries)),
      JSON.stringify(turns),
    ])
    switch (answer.outcome) {
      case 'missing':
        throw noParent(forkOf!.branch)
      case 'exists':
        throw forkedElsewhere(thread.branch)
      case 'no_place':
        throw notAPlace(forkOf!.at)
      case 'key_reused':
        throw new KeyReusedError(answer.key)
      default:
        return { head: headOf(thread, answer, answer.expected) }
    }
  }
}

function firstTime({ entries, turns }: RestoreEntries): number | null {
  const times = [...entries.map(({ time }) => time), ...turns.map(({ startedAt }) => startedAt)]
  return times.length > 0 ? times.reduce((first, time) => Math.min(first, time)) : null
}
