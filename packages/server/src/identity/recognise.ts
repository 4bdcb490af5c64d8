import { mainBranch } from '@throughline/history/log'
import type { ThreadKey } from '@throughline/stores/store'
import { isUser } from './agreement.ts'
import type { ThreadName } from './chain.ts'
import { findMatch, type Lookup, type Match } from './find-match.ts'
import type { ListItem } from './item.ts'
import { type BranchPlace, branchPlace, type Walk } from './walk.ts'

/** Where a request belongs, and why. `why` is for people, and holds no text of the conversation. */
export type Placement =
  | { readonly kind: 'new'; readonly thread: ThreadKey; readonly why: string }
  /** The list goes on where a thread ends. */
  | { readonly kind: 'extends'; readonly walk: Walk; readonly why: string }
  /** The log has all of the list already. */
  | Extract<Match, { kind: 'repeats' }>
  /** The list leaves a thread after a place. */
  | (BranchPlace & { readonly why: string })

/**
 * Finds the thread of a client's list. A list that goes on at the end of a thread extends it, one that leaves it is a branch,
 * and one with gaps that fits several conversations equally well is a new one. Nothing is ever merged.
 */
export async function recognise(
  lookup: Lookup & { readonly newId: () => string },
): Promise<Placement> {
  const { items, named, tenant, newId } = lookup
  const match = await findMatch(lookup)
  if (!match && named) return otherwise(lookup, named)
  switch (match?.kind) {
    case 'agrees': {
      const { walk, past } = match
      if (isSummedUp(items, walk)) {
        const why = 'its client has put a summary in place of what came after'
        return { ...(await branchPlace(lookup, walk)), why }
      }
      if (walk.items < items.length)
        return { kind: 'extends', walk, why: `it goes on after ${past}` }
      return { kind: 'repeats', walk, why: 'the same messages came before, and have no answer yet' }
    }
    case 'repeats':
      return match
    case 'differs': {
      const why = 'it says something else than what was said there'
      return { ...(await branchPlace(lookup, match.walk)), why }
    }
    default: {
      const thread = { tenant, conversation: newId(), actor: 'assistant', branch: mainBranch }
      return { kind: 'new', thread, why: match?.why ?? 'no conversation began like this' }
    }
  }
}

/** The client names a conversation, and its list does not go on from anything there. */
async function otherwise(
  { store, tenant, items }: Lookup,
  { conversation, actor }: ThreadName,
): Promise<Placement> {
  const thread = { tenant, conversation, actor, branch: mainBranch }
  if (!(await store.head(thread)))
    return { kind: 'new', thread, why: 'its client names a new conversation' }
  const reason = 'its client names this conversation, but sends other messages'
  const why = isCompacted(items)
    ? `${reason}, with a summary of earlier ones: it has compacted them`
    : reason
  return { kind: 'branches', of: thread, at: 0, from: 0, front: 'same', why }
}

/** Whether one of the first messages says that it is a summary, in the words of a client that compacts. */
const isCompacted = (items: readonly ListItem[]) => items.slice(0, mostBefore).some(isSummary)

/** Whether a summary stands in place of the calls of an open turn, right behind its question. */
const isSummedUp = (items: readonly ListItem[], { items: agreed, leftOut }: Walk) =>
  leftOut !== '' &&
  isUser(items[agreed - 1]!) &&
  items[agreed] !== undefined &&
  isSummary(items[agreed])

const isSummary = (item: ListItem) =>
  isUser(item) && summaries.some(words => item.text.includes(words))

const mostBefore = 8

/** How Claude Code, Codex, and Qwen Code begin a summary. */
const summaries = [
  'This session is being continued from a previous conversation',
  'Another language model started to solve this problem and produced a summary',
  '<state_snapshot>',
]
