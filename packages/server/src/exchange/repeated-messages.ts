import type { SeenMessage } from '@throughline/history'
import { listLog } from '@throughline/history/log'
import { rootOf } from '@throughline/history/search'
import { markNames, type UserMarks } from '../identity/chain.ts'
import { walkOn } from '../identity/walk.ts'
import { type Inquiry, type LogPlace, sourceOf } from './inquiry.ts'

/**
 * The messages that a request brings to a branch. Those that stand in the line that it leaves have the ids of these, and
 * where their text was erased, the mark. `marks`: those of the messages; an erased text is only known by them.
 */
export async function withRepeats(
  { log }: Inquiry,
  { fork, items, from }: Pick<LogPlace, 'fork' | 'items' | 'from'>,
  brought: readonly SeenMessage[],
  marks: readonly UserMarks[],
): Promise<readonly SeenMessage[]> {
  if (!fork) return brought
  const source = sourceOf(log, fork.of)
  const firstItem = items.findIndex(({ index }) => index >= from)
  if (firstItem < 0) return brought
  const start = { thread: fork.of, item: firstItem - 1, at: fork.at, front: 'same' } as const
  const { places } = await walkOn(source, items, start)
  const all = [...brought]
  for (const [n, seq] of places.entries()) {
    const { index } = items[firstItem + n]!
    const [entry] = await listLog(source, { from: seq, to: seq })
    const seen = all[index - from]
    if (!entry || !seen) continue
    const repeats = rootOf(entry)
    if (!entry.isErased) all[index - from] = { ...seen, repeats }
    else if (
      await isTheErased(
        marks.find(mark => mark.index === index),
        seq,
      )
    )
      all[index - from] = { message: entry.message, repeats, isErased: true }
  }
  return all

  async function isTheErased(mark: UserMarks | undefined, seq: number): Promise<boolean> {
    if (!mark) return false
    const marked = await log.store.findMarks(log.tenant, markNames.alone(mark))
    return marked.some(
      ({ thread, at }) => thread.conversation === fork!.of.conversation && at === seq,
    )
  }
}
