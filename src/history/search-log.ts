import { rankTexts, type TextTerms } from '../context/recall/rank-texts.ts'
import type { MessageLike } from '../log/message.ts'
import { showEach } from '../notes/index.ts'
import type { Found, ThreadKey } from '../stores/store.ts'
import { CorruptEntryError } from '../stores/store-error.ts'
import { payloadTexts, snippet, toWanted, words } from '../stores/words.ts'
import { promptActor } from './calls/calls.ts'
import type { LoggedMessage } from './log/logged-message.ts'
import { type LogSource, listLog, readLog } from './log/read-log.ts'
import { isTelling, longestWords } from './log/telling-words.ts'
import { isSideThread } from './side-name.ts'
import { beginsRound, withoutTries } from './views.ts'

export interface SearchOptions {
  /** The most messages to find. Default 20. */
  readonly limit?: number
  /**
   * `shown` finds only what `thread.display()` shows a user, and no side requests. `everything` is for operators:
   * it also finds notes, the calls that write them, views, and the `data` that an application stores with its messages. Default `shown`.
   */
  readonly scope?: 'shown' | 'everything'
  /** Only messages of this conversation. Default: of all. */
  readonly conversation?: string | undefined
  /** About how many characters of a message its snippet has. Default 120. */
  readonly characters?: number
}

type SearchSource = Omit<LogSource, 'key'> & { readonly tenant: string; readonly person?: string }

/** At least this many of the newest messages with all words, and with each of them, are ranked. */
const leastRanked = 100

/** Hits that must not be shown are skipped: the store is asked for four times as many hits each time, up to this. */
const mostHits = 20_000

/**
 * Finds entries that have words of the query, the best first. The store finds candidates in whole entries; what counts is
 * what may be seen of them. Words that carry no meaning are not looked for, unless the query has no others.
 */
export async function searchLog(
  source: SearchSource,
  query: string,
  { limit = 20, scope = 'shown', conversation, characters = 120 }: SearchOptions = {},
): Promise<readonly Found[]> {
  const { tenant, person } = source
  const all = toWanted(query)
  const telling = all.filter(isTelling)
  const wanted = telling.length > 0 ? telling : all
  const ranking = rankTexts(query)
  const shownAt = createLookUp(source)
  /** By place. Undefined: it must not be shown. */
  const candidates = new Map<string, Candidate | undefined>()

  async function read(hit: Found): Promise<Candidate | undefined> {
    if (hit.thread.actor === promptActor) return undefined
    if (scope === 'shown' && (hit.role === 'assistant_note' || isSideThread(hit.thread))) return undefined
    const payload = scope === 'shown' ? JSON.stringify(await shownAt(hit)) : await payloadOf(source, hit)
    const texts = payload === undefined ? [] : payloadTexts(payload)
    const has = words(texts)
    if (!wanted.some(word => has.has(word))) return undefined
    const found = { ...hit, snippet: snippet(payload!, wanted, Math.ceil(characters / 3)) }
    return { found, terms: ranking.read(texts.join(' ')) }
  }

  async function gather(words: string): Promise<void> {
    const seen = new Set<Candidate>()
    const enough = Math.max(limit, leastRanked)
    for (let asked = enough; ; asked = Math.min(4 * asked, mostHits)) {
      const hits = await source.store.search(tenant, words, { limit: asked, person, conversation })
      for (const hit of hits) {
        const place = nameOf(hit.thread, hit.seq)
        if (!candidates.has(place)) candidates.set(place, await read(hit))
        const candidate = candidates.get(place)
        if (candidate) seen.add(candidate)
        if (seen.size >= enough) return
      }
      if (hits.length < asked || asked >= mostHits) return
    }
  }

  await gather(wanted.join(' '))
  if (telling.length > 1) for (const word of longestWords(wanted)) await gather(word)
  const newest = [...candidates.values()]
    .filter(candidate => candidate !== undefined)
    .sort((a, b) => b.found.time - a.found.time)
  const scores = ranking.scores(newest.map(({ terms }) => terms))
  return newest
    .map(({ found }, at) => ({ found, score: scores[at]! }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ found }) => found)
}

interface Candidate {
  readonly found: Found
  readonly terms: TextTerms
}

const nameOf = ({ conversation, actor, branch }: ThreadKey, seq?: number) =>
  JSON.stringify([conversation, actor, branch, seq])

async function payloadOf({ store }: SearchSource, { thread, seq }: Found): Promise<string | undefined> {
  for await (const { payload } of store.entries(thread, { from: seq, to: seq })) return payload
  return undefined
}

/** Finds what a user may see of an entry. Hits come newest first, so the round that was read last is looked up first. */
function createLookUp({ store, count }: SearchSource) {
  const rounds = new Map<string, ReadonlyMap<number, MessageLike | undefined>>()
  return async ({ thread, seq }: Found): Promise<MessageLike | undefined> => {
    const name = nameOf(thread)
    const known = rounds.get(name)
    if (known?.has(seq)) return known.get(seq)
    const source = { store, key: thread, count }
    const round = await readRound(source, seq)
    // Whether a part was tried again says the entry behind it.
    const next = round.at(-1)?.isBroken ? await listLog(source, { from: seq + 1, to: seq + 1 }) : []
    const logged = withoutTries([...round, ...next])
    const messages = logged.map(({ message }) => message)
    const shown = showEach(messages, { isPart: true })
    const found = new Map(logged.map((one, at) => [one.seq, shown[at]]))
    rounds.set(name, found)
    return found.get(seq)
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
