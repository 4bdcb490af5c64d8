import { saidIn, type Transcript } from '@throughline/core/conversation'
import { type Message, stampEntry } from '@throughline/core/messages'
import { withoutLabel } from '@throughline/core/recall'
import type { Head, ThreadKey } from '@throughline/stores/store'
import type { LoggedMessage } from '../logged-message.ts'
import { type LogSource, listLog } from '../read-log.ts'
import { type CheckedEmbed, type Embedded, embedTexts } from './embed-texts.ts'
import { meaningOf } from './meaning.ts'
import { storedVectors } from './stored-vectors.ts'
import {
  chunkSize,
  chunkUpTo,
  emptyChunk,
  toChunk,
  type VectorChunk,
  vectorsOf,
} from './vector-chunk.ts'

export type ThreadVectors = ReturnType<typeof createThreadVectors>

/** The most texts of one request. What is left is asked for in later turns. */
const mostTexts = 64

const atOnce = 8

/** A branch whose vectors a thread uses: its own, then those that it was forked from, up to a place. */
interface Ancestor {
  readonly key: ThreadKey
  readonly versions: readonly number[]
  readonly upTo: number
}

/** The vectors of a thread's entries, of one model. docs/decisions/recall-by-words.md says when they count. */
export function createThreadVectors(source: LogSource, embed: CheckedEmbed) {
  const { store, key } = source
  const stored = storedVectors(store, embed.model)
  const chunks: (VectorChunk | undefined)[] = []
  /** By chunk: the place at which it was last added to. A chunk that was stored without its version is not complete. */
  let versions: readonly number[] = []
  let ancestors: readonly Ancestor[] | undefined

  const loadVersions = async (thread: ThreadKey) => (await stored.versions(thread)) ?? []

  async function findAncestors({ forkOf }: Head): Promise<readonly Ancestor[]> {
    const ancestors: Ancestor[] = []
    let upTo = Number.POSITIVE_INFINITY
    for (let from = forkOf; from; ) {
      const parent = { ...key, branch: from.branch }
      upTo = Math.min(upTo, from.at)
      ancestors.push({ key: parent, versions: await loadVersions(parent), upTo })
      from = (await store.head(parent))?.forkOf
    }
    return ancestors
  }

  async function loadChunk(number: number, owners: readonly Ancestor[]): Promise<VectorChunk> {
    const owner = owners.find(({ versions }) => (versions[number] ?? 0) > 0)
    const chunk = owner && (await stored.chunk(owner.key, number))
    if (!chunk) return emptyChunk
    const last = Math.min(owner.upTo, owner.versions[number]!)
    return chunkUpTo(chunk, last, owner.upTo - number * chunkSize)
  }

  /** Loads what is new in the store. Returns the first place at which something new counts; Infinity if nothing is new. */
  async function refresh(head: Head): Promise<number> {
    ancestors ??= await findAncestors(head)
    const now = await loadVersions(key)
    const owners = [{ key, versions: now, upTo: Number.POSITIVE_INFINITY }, ...ancestors]
    const changed: number[] = []
    for (let number = 0; number * chunkSize < head.head; number++)
      if (!chunks[number] || (now[number] ?? 0) !== (versions[number] ?? 0)) changed.push(number)
    const loaded: (readonly [number: number, chunk: VectorChunk])[] = []
    for (let from = 0; from < changed.length; from += atOnce) {
      const some = changed.slice(from, from + atOnce)
      const read = await Promise.all(some.map(number => loadChunk(number, owners)))
      for (const [at, number] of some.entries()) loaded.push([number, read[at]!])
    }
    let first = Number.POSITIVE_INFINITY
    for (const [number, chunk] of loaded) {
      const before = chunks[number] ?? emptyChunk
      for (let at = 0; at < chunkSize; at++) {
        if (chunk.since[at] !== before.since[at])
          first = Math.min(first, chunk.since[at] || before.since[at]!)
      }
      chunks[number] = chunk
    }
    versions = now
    return first
  }

  const isMissing = (seq: number) => {
    const since = chunks[Math.floor((seq - 1) / chunkSize)]?.since
    return !since || since[(seq - 1) % chunkSize] === 0
  }

  /** The newest entries that were not asked for yet, newest first. */
  async function missingUpTo(last: number): Promise<readonly LoggedMessage[]> {
    const missing: LoggedMessage[] = []
    for (let to = last; to > 0 && missing.length < mostTexts; ) {
      while (to > 0 && !isMissing(to)) to -= 1
      if (to === 0) break
      const from = Math.max(1, to - mostTexts + 1)
      const read = await listLog(source, { from, to, reverse: true })
      for (const logged of read) if (isMissing(logged.seq)) missing.push(logged)
      to = from - 1
    }
    return missing.slice(0, mostTexts)
  }

  /** Asks for missing vectors, the newest first; they count from `since` on. Returns how many came. */
  async function settle(head: Head, since: number): Promise<number> {
    const read = await missingUpTo(head.head)
    const missing = read.map(({ seq, view, isClosing }) => {
      const { message } = stampEntry(view, seq, source.count)
      return { seq, text: isClosing ? '' : embeddedText(message) }
    })
    const texts = missing.map(({ text }) => text).filter(text => text !== '')
    const length = chunks.find(chunk => chunk?.squares.some(square => square > 0))?.length
    const vectors = await embedTexts(embed, texts, length)
    let next = 0
    const added = missing.map(
      ({ seq, text }) => [seq, text === '' ? 'none' : vectors[next++]] as const,
    )
    // Vectors that cannot be stored do not count: a context must be the same when it is made again.
    await save(added, since)
    return added.filter(([, one]) => one !== undefined).length
  }

  async function save(added: readonly (readonly [seq: number, one: Embedded])[], since: number) {
    const filled = new Map<number, { since: Uint32Array; vectors: (Int8Array | undefined)[] }>()
    for (const [seq, one] of added) {
      if (one === undefined) continue
      const number = Math.floor((seq - 1) / chunkSize)
      const stored = chunks[number] ?? emptyChunk
      const chunk = filled.get(number) ?? {
        since: stored.since.slice(),
        vectors: [...vectorsOf(stored)],
      }
      filled.set(number, chunk)
      chunk.since[(seq - 1) % chunkSize] = since
      chunk.vectors[(seq - 1) % chunkSize] = one === 'none' ? undefined : one
    }
    if (filled.size === 0) return
    const changed = new Map(
      [...filled].map(([number, { since, vectors }]) => [number, toChunk(since, vectors)]),
    )
    const length = Math.max(versions.length, ...[...changed.keys()].map(number => number + 1))
    const now = Array.from({ length }, (_, number) =>
      changed.has(number) ? since : (versions[number] ?? 0),
    )
    for (const [number, chunk] of changed) await stored.saveChunk(key, number, since, chunk)
    // The versions come last: until then nothing of this counts, also if the process dies.
    await stored.saveVersions(key, since, now)
    for (const [number, chunk] of changed) chunks[number] = chunk
    versions = now
  }

  return {
    refresh,
    settle,
    /** `lead`: how many system messages the log begins with. */
    meaningOf: (transcript: Transcript, lead: number) =>
      meaningOf(transcript, lead, embed.weight, chunks),
  }
}

/** The most characters of a text that are embedded: models cut longer ones themselves, at places of their own. */
const mostCharacters = 2000

/** What is embedded of a message: what it says, without a label, cut off where it is long. Empty: nothing. */
export function embeddedText(message: Message): string {
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return ''
  const parts = saidIn(message, call => `${call.name} ${call.arguments}`)
  const text = withoutLabel(parts.join('\n')).trim().slice(0, mostCharacters)
  // Not in the middle of a character.
  return text.replace(/[\uD800-\uDBFF]$/, '')
}
