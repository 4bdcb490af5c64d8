import { isCount, parseJson } from '@throughline/core/values'
import type { Store, ThreadKey } from '@throughline/stores/store'
import { threadName } from '../read-log.ts'
import { chunkSize, packChunk, unpackChunk, type VectorChunk } from './vector-chunk.ts'

/** The vectors of a model in a store: for each thread pieces of entries in a row, and a list of the versions of the pieces. */
export function storedVectors(store: Store, model: string) {
  const keyOf = (what: number | 'versions') => `vectors 1 ${what} ${model}`
  return {
    /** By piece: the place at which it was last added to, 0 for one that is not there. Undefined where the list cannot be read. */
    async versions(thread: ThreadKey): Promise<readonly number[] | undefined> {
      const saved = await store.loadCache(thread, keyOf('versions'))
      const read = saved && parseJson(new TextDecoder().decode(saved.bytes))
      return Array.isArray(read) && read.every(version => isCount(version)) ? read : undefined
    },
    /** Undefined where the piece is not there, or cannot be read. */
    async chunk(thread: ThreadKey, number: number): Promise<VectorChunk | undefined> {
      const saved = await store.loadCache(thread, keyOf(number))
      return saved && unpackChunk(saved.bytes)
    },
    saveVersions: (thread: ThreadKey, since: number, versions: readonly number[]) =>
      store.saveCache(
        thread,
        keyOf('versions'),
        since,
        new TextEncoder().encode(JSON.stringify(versions)),
      ),
    saveChunk: (thread: ThreadKey, number: number, since: number, chunk: VectorChunk) =>
      store.saveCache(thread, keyOf(number), since, packChunk(chunk)),
  }
}

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
    if (versions && !isThere)
      problems.push(tell(`the vectors of entries ${from} to ${to} cannot be read`))
    // One piece says that there was a list.
    if (!versions && isThere)
      return [tell('the list of its vectors cannot be read, so none of them counts')]
  }
  return problems

  function tell(problem: string): string {
    return `${threadName(thread)}: ${problem} (model "${model}"): the next turns ask for them again, thread.embed() for all at once`
  }
}
