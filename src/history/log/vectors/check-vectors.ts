import type { Store, ThreadKey } from '../../../stores/store.ts'
import { threadName } from '../read-log.ts'
import { storedVectors } from './stored-vectors.ts'
import { chunkSize } from './vector-chunk.ts'

/** What is wrong with the stored vectors of a thread, in words. Only the embedder can make them anew. */
export async function checkVectors(store: Store, thread: ThreadKey, model: string) {
  const stored = storedVectors(store, model)
  const versions = await stored.versions(thread)
  const last = (await store.head(thread))?.head ?? 0
  const problems: string[] = []
  for (let number = 0; number * chunkSize < last; number++) {
    if (versions && !versions[number]) continue
    const isThere = (await stored.chunk(thread, number)) !== undefined
    const [from, to] = [number * chunkSize + 1, Math.min(last, (number + 1) * chunkSize)]
    if (versions && !isThere) problems.push(tell(`the vectors of entries ${from} to ${to} cannot be read`))
    // One piece says that there was a list.
    if (!versions && isThere) return [tell('the list of its vectors cannot be read, so none of them counts')]
  }
  return problems

  function tell(problem: string): string {
    return `${threadName(thread)}: ${problem} (model "${model}"): the next turns ask for them again, thread.embed() for all at once`
  }
}
