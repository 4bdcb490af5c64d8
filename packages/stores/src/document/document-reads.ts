import { fromBase64 } from '@throughline/core/values'
import { toHead } from '../rules/branch-writes.ts'
import { lastUseOf } from '../rules/last-use.ts'
import type { ConversationInfo, MarkedPlace, Store, ThreadKey, ThreadPlace } from '../store.ts'
import { withoutNulls } from '../without-nulls.ts'
import { payloadTexts, words } from '../words.ts'
import type { ConversationDocument, DocumentSource } from './conversation-document.ts'
import { entriesOf, findBranch, headOf, stateOf, turnsOf } from './conversation-document.ts'

/** The order of a search: by time, then by the age of branches, then by place. */
const newestFirst = (a: DatedPlace, b: DatedPlace) =>
  b.time - a.time || b.number - a.number || b.seq - a.seq

interface DatedPlace extends ThreadPlace {
  readonly time: number
  readonly number: number
}

export function documentReads(source: DocumentSource) {
  return {
    async head(thread) {
      const [document, branch] = await find(thread)
      return document && branch && toHead(stateOf(document, branch, source.now()), branch.forkOf)
    },
    async *entries(thread, { from = 1, to, reverse, limit } = {}) {
      const [document, branch] = await find(thread)
      if (!document || !branch) return
      const part = entriesOf(document, branch, Math.max(1, from), to)
      yield* (reverse ? part.reverse() : part).slice(0, limit)
    },
    async turns(thread) {
      const [document, branch] = await find(thread)
      return document && branch ? turnsOf(document, branch) : []
    },
    async calls(thread, { limit } = {}) {
      const [, branch] = await find(thread)
      return branch ? branch.calls.toReversed().slice(0, limit) : []
    },
    async loadCache(thread, key) {
      const [, branch] = await find(thread)
      const cache = branch?.caches.find(cache => cache.key === key)
      return cache && { at: cache.at, bytes: fromBase64(cache.base64) }
    },
    async findMarks(tenant, marks, { limit = 16 } = {}) {
      const byMark = new Map(
        marks.map(mark => [mark, [] as (MarkedPlace & { readonly time: number })[]]),
      )
      for await (const [thread, branch] of branchesOf(tenant))
        for (const { mark, at, time } of branch.marks)
          byMark.get(mark)?.push({ mark, at, thread, time })
      return [...byMark.values()].flatMap(places =>
        places
          .reverse()
          .sort((a, b) => b.time - a.time)
          .slice(0, limit)
          .map(({ mark, at, thread }) => ({ mark, at, thread })),
      )
    },
    async tenants() {
      const names = new Set<string>()
      for await (const { tenant, branches } of source.all())
        if (branches.length > 0) names.add(tenant)
      return [...names].sort(byCodePoint)
    },
    async conversations(tenant, options = {}) {
      const { only, person, after, limit, order = 'recent', unusedSince } = options
      const compare = orders[order]
      const infos: ConversationInfo[] = []
      for await (const document of source.all(tenant)) {
        if (
          document.branches.length === 0 ||
          (only !== undefined && document.conversation !== only)
        )
          continue
        if (person !== undefined && document.person !== person) continue
        const info = toInfo(document)
        if (unusedSince !== undefined && lastUseOf(info) >= unusedSince) continue
        if (!after || compare(info, after) > 0) infos.push(info)
      }
      return infos.sort(compare).slice(0, limit)
    },
    async findWords(tenant, wanted, { person, conversation, limit = 64, times } = {}) {
      const hits = wanted.map((): DatedPlace[] => [])
      // The branch's own entries: the shared past is found in the branch that wrote it.
      for await (const [thread, { number, entries }] of branchesOf(tenant, person))
        for (const { seq, time, payload } of (conversation ?? thread.conversation) ===
        thread.conversation
          ? entries
          : []) {
          const has = words(payloadTexts(payload))
          for (const [place, forms] of wanted.entries())
            if (forms.some(form => has.has(form))) hits[place]!.push({ thread, number, seq, time })
        }
      return hits.map(places =>
        places
          .sort(newestFirst)
          .slice(0, limit)
          .map(({ thread, seq, time }) => (times ? { thread, seq, time } : { thread, seq })),
      )
    },
  } satisfies Partial<Store>

  async function find(thread: ThreadKey) {
    const document = await source.read(thread)
    return [document, findBranch(document, thread)] as const
  }

  async function* branchesOf(tenant: string, person?: string) {
    for await (const { conversation, branches, person: owner } of source.all(tenant))
      for (const one of person === undefined || person === owner ? branches : [])
        yield [{ tenant, conversation, actor: one.actor, branch: one.branch }, one] as const
  }
}

/** Orders by code point, as databases that compare UTF-8 bytes do; JavaScript compares UTF-16 units. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const at = left.findIndex((character, n) => character !== right[n])
  if (at < 0) return left.length - right.length
  return left[at]!.codePointAt(0)! - (right[at]?.codePointAt(0) ?? -1)
}

type ListPlace = Pick<ConversationInfo, 'conversation' | 'updatedAt'>

const orders = {
  name: (a: ListPlace, b: ListPlace) => byCodePoint(a.conversation, b.conversation),
  recent: (a: ListPlace, b: ListPlace) => b.updatedAt - a.updatedAt || orders.name(a, b),
}

export function toInfo({ branches, ...document }: ConversationDocument): ConversationInfo {
  const { conversation, createdAt, usedAt, title, metadata, person } = document
  const updatedAt = branches.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0)
  const threads = branches
    .map(one => ({
      actor: one.actor,
      branch: one.branch,
      head: headOf(one),
      updatedAt: one.updatedAt,
    }))
    .sort((a, b) => byCodePoint(a.actor, b.actor) || byCodePoint(a.branch, b.branch))
  const described = { title, metadata: metadata == null ? null : JSON.parse(metadata), person }
  return withoutNulls({ conversation, createdAt, updatedAt, usedAt, ...described, threads })
}
