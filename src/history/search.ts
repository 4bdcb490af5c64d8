import type { MessageLike } from '../log/message.ts'
import { type NoteOptions, showEach } from '../notes/index.ts'
import { hasWords, toWanted } from '../stores/has-words.ts'
import { snippet } from '../stores/snippet.ts'
import type { Found, ThreadKey } from '../stores/store.ts'
import { CorruptEntryError } from '../stores/store-error.ts'
import { promptActor } from './calls/calls.ts'
import type { LoggedMessage } from './log/logged-message.ts'
import { type LogSource, readLog } from './log/read-log.ts'
import { beginsRound } from './views.ts'

export interface SearchOptions extends NoteOptions {
  /** The most messages to find. Default 20. */
  readonly limit?: number
  /**
   * `shown` (default) finds only what `thread.display()` shows a user. `everything` is for operators: it also finds notes,
   * the calls that write them, views, and the `data` that an application stores with its messages.
   */
  readonly scope?: 'shown' | 'everything'
}

type SearchSource = Omit<LogSource, 'key'> & { readonly tenant: string }

/** Hits that must not be shown are skipped: the store is asked for four times as many hits each time, up to this. */
const mostHits = 20_000

/** Finds entries with every word of the query. The store searches whole entries; the words must be in what may be seen. */
export async function searchLog(
  source: SearchSource,
  query: string,
  { limit = 20, scope = 'shown', nonce }: SearchOptions = {},
): Promise<readonly Found[]> {
  const wanted = toWanted(query)
  const shownAt = createLookUp(source, { nonce })
  const found: Found[] = []
  const seen = new Set<string>()

  async function take(hit: Found): Promise<void> {
    if (hit.thread.actor === promptActor || (scope === 'shown' && hit.role === 'assistant_note')) return
    if (scope === 'everything') return void found.push(hit)
    const text = JSON.stringify(await shownAt(hit)) ?? ''
    if (text !== '' && hasWords(text, wanted)) found.push({ ...hit, snippet: snippet(text, wanted) })
  }

  for (let asked = limit + 20; ; asked = Math.min(4 * asked, mostHits)) {
    const hits = await source.store.search(source.tenant, query, { limit: asked })
    for (const hit of hits) {
      if (found.length >= limit) return found
      const place = nameOf(hit.thread, hit.seq)
      if (!seen.has(place)) await take(hit)
      seen.add(place)
    }
    if (hits.length < asked || asked >= mostHits) return found
  }
}

const nameOf = ({ conversation, actor, branch }: ThreadKey, seq?: number) =>
  JSON.stringify([conversation, actor, branch, seq])

/** Finds what a user may see of an entry. Hits come newest first, so the round that was read last is looked up first. */
function createLookUp({ store, count }: SearchSource, notes: NoteOptions) {
  const rounds = new Map<string, ReadonlyMap<number, MessageLike | undefined>>()
  return async ({ thread, seq }: Found): Promise<MessageLike | undefined> => {
    const name = nameOf(thread)
    const known = rounds.get(name)
    if (known?.has(seq)) return known.get(seq)
    const logged = (await readRound({ store, key: thread, count }, seq)).filter(one => !one.isClosing)
    const messages = logged.map(({ message }) => message)
    const shown = showEach(messages, notes, { isPart: true })
    const round = new Map(logged.map((one, at) => [one.seq, shown[at]]))
    rounds.set(name, round)
    return round.get(seq)
  }
}

/** Reads an entry with its round so far: whether a result may be seen depends on its call. */
async function readRound(source: LogSource, seq: number): Promise<readonly LoggedMessage[]> {
  const logged: LoggedMessage[] = []
  try {
    for await (const one of readLog(source, { to: seq, reverse: true })) {
      logged.push(one)
      if (beginsRound(one)) break
    }
  } catch (error) {
    // A corrupt entry is never shown; `check` names it.
    if (!(error instanceof CorruptEntryError)) throw error
    return []
  }
  return logged.reverse()
}
