import type { Store, StoredTurn, ThreadKey } from '@throughline/stores/store'
import { markOf, partOf, parts } from './turn-messages.ts'

/** An entry of the log with the mark that its writer put into it; none for what closes a turn. */
export interface MarkedEntry {
  readonly seq: number
  readonly turn: number
  readonly mark: string | undefined
}

export async function readMarked(store: Store, thread: ThreadKey): Promise<readonly MarkedEntry[]> {
  const entries: MarkedEntry[] = []
  for await (const { seq, turn, payload } of store.entries(thread)) {
    const { message } = JSON.parse(payload) as { message: { content: string } }
    entries.push({ seq, turn, mark: markOf(message.content) })
  }
  return entries
}

export function findGaps(entries: readonly MarkedEntry[]): readonly string[] {
  return entries.flatMap(({ seq }, n) =>
    seq === n + 1 ? [] : [`entry ${seq} stands at place ${n + 1}`],
  )
}

/** What a step writes comes whole or not at all, and a turn has the parts of one turn only. */
export function findTorn(
  entries: readonly MarkedEntry[],
  turns: readonly StoredTurn[],
): readonly string[] {
  return turns.flatMap(({ turn, status }) => {
    const marks = entries.filter(entry => entry.turn === turn).flatMap(({ mark }) => mark ?? [])
    const writers = new Set(marks.map(mark => mark.split(' ').slice(0, 2).join(' ')))
    if (writers.size > 1) return [`turn ${turn} is of ${writers.size} turns: ${marks}`]
    const has = marks.map(partOf).join()
    const isWhole = status === 'completed' ? has === whole : unfinished.includes(has)
    return isWhole ? [] : [`turn ${turn} is ${status} and torn: ${marks}`]
  })
}

const whole = parts.join()
/** After the first step, and after the second. */
const unfinished = [parts.slice(0, 1).join(), parts.slice(0, 3).join()]
