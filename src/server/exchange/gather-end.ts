import { listLog, mainBranch } from '../../history/log/read-log.ts'
import { isSideName } from '../../history/side-name.ts'
import type { ThreadKey } from '../../stores/store.ts'
import { KeyReusedError } from '../../stores/store-error.ts'
import { agreement } from '../identity/agreement.ts'
import { isUser, type ListItem } from '../identity/chain.ts'
import { type Compared, comparedOf, isSaid } from '../identity/item.ts'
import type { NamedConversation } from '../identity/known-client.ts'
import type { EndFacts, FailedTurn } from './decide.ts'
import { type Inquiry, type Log, sourceOf } from './inquiry.ts'
import type { Again, ClientList } from './log-place.ts'
import { hasReply, isLeft, isRetry, isRetryOf, keyOf, patienceOf, turnOfKey, untilFree } from './retry.ts'

/** What the log says of a request whose client names the conversation and sends only what is new. */
export async function gatherEnd(
  inquiry: Inquiry,
  { conversation, actor = 'assistant', how }: NamedConversation,
  list: ClientList,
): Promise<EndFacts> {
  const { tenant } = inquiry.log
  const main = { tenant, conversation, actor, branch: mainBranch }
  const lines = await linesOf(inquiry.log, main)
  const [thread = main] = lines
  const { state } = await untilFree(inquiry, thread, patienceOf(inquiry))
  const mayBeAgain = isRetry(inquiry) || state === 'interrupted'
  // Conversations of the Responses API are made before they are named.
  const isMade = inquiry.request.named.conversation === conversation && conversation.startsWith('conv_')
  return {
    ...{ by: 'end', list, thread },
    conversation: lines.length > 0 ? 'there' : isMade ? 'missing' : 'new',
    earlier: mayBeAgain ? await findEarlier(inquiry, lines, list) : undefined,
    why: `named by ${how}; the body holds what is new`,
  }
}

/** The branches of a thread, newest write first, without those of side requests and those that were never continued. */
export async function linesOf(
  { store, tenant }: Log,
  { conversation, actor }: Pick<ThreadKey, 'conversation' | 'actor'>,
): Promise<readonly ThreadKey[]> {
  const [info] = await store.conversations(tenant, { only: conversation, limit: 1 })
  const all = (info?.threads ?? []).filter(one => one.actor === actor && !isSideName(one.branch))
  // A branch is younger than the thread that it leaves.
  const isMain = ({ branch }: { readonly branch: string }) => Number(branch === mainBranch)
  const sorted = all.toSorted((a, b) => b.updatedAt - a.updatedAt || isMain(a) - isMain(b))
  const lines = sorted.slice(0, mostLines).map(({ branch }) => ({ tenant, conversation, actor, branch }))
  for (let from = 0; from < lines.length - 1; from++) {
    const { head, forkOf } = (await store.head(lines[from]!)) ?? {}
    if (!forkOf || head !== forkOf.at) return lines.slice(from)
  }
  return lines.slice(-1)
}

const mostLines = 100

/** What became of the request the first time it came. Undefined if it is new. */
async function findEarlier(
  inquiry: Inquiry,
  lines: readonly ThreadKey[],
  { items, messages }: ClientList,
): Promise<Again | FailedTurn | undefined> {
  const { store } = inquiry.log
  const key = keyOf(inquiry)
  let failed: (Omit<FailedTurn, 'isLeft'> & { readonly isLast: boolean }) | undefined
  // Without a key only the newest turn can be the one.
  for (const thread of key === undefined ? lines.slice(0, 1) : lines) {
    const turns = await store.turns(thread)
    const newest = turns.at(-1)
    const ofKey = key === undefined ? newest : await turnOfKey(inquiry, thread, turns)
    // A message whose turn has no answer yet is the same one, whatever its client says of it.
    const turn = ofKey ?? (newest?.status === 'open' ? newest : undefined)
    const isOpen = turn === newest && turn?.status === 'open'
    if (!turn) continue
    const isAgain = await isRetryOf(inquiry, thread, turn)
    if (!isOpen && !isAgain) continue
    const logged = await listLog(sourceOf(inquiry.log, thread), { from: turn.first, to: turn.last })
    const entries = logged.filter(isSaid)
    const stretch = findStretch(
      entries.map(({ message, seq }) => comparedOf(message, seq)),
      items,
    )
    if (!stretch) {
      if (key !== undefined) throw new KeyReusedError(key)
      continue
    }
    const after = entries[stretch.end - 1]!.seq
    if (await hasReply(inquiry, thread, after, turn)) {
      if (!isAgain) continue
      return { kind: 'again', thread, after, turn: turn.turn }
    }
    const repeated = entries.slice(0, stretch.start).map(({ view }) => view)
    failed ??= {
      ...{ kind: 'failed', thread, turn, isLast: stretch.end === entries.length },
      ...{ messages: [...repeated, ...messages.slice(stretch.from)], repeated: repeated.length },
    }
  }
  if (!failed) return undefined
  const { isLast, ...turn } = failed
  const status = isLast ? await untilFree(inquiry, turn.thread, patienceOf(inquiry)) : undefined
  return { ...turn, isLeft: status !== undefined && isLeft(turn.turn, status) }
}

/** Where a turn has the items of a request, or the last user messages and what follows. `from`: the first message it has. */
function findStretch(
  turn: readonly (Compared | undefined)[],
  items: readonly ListItem[],
): { readonly start: number; readonly end: number; readonly from: number } | undefined {
  const seen = turn.flatMap((compared, at) => (compared ? [{ compared, at }] : []))
  const hasUser = items.some(isUser)
  for (const wanted of hasUser ? [items, items.slice(lastRun(items))] : [items]) {
    // A user's message begins the turn; results of tools are the last ones that came.
    const latest = hasUser ? 0 : seen.length - wanted.length
    for (let at = latest; at >= 0; at--)
      if (wanted.length > 0 && wanted.every((item, n) => isSame(seen[at + n]?.compared, item)))
        return { start: seen[at]!.at, end: seen[at + wanted.length - 1]!.at + 1, from: wanted[0]!.index }
  }
  return undefined
}

const isSame = (logged: Compared | undefined, item: ListItem) =>
  logged !== undefined && agreement(logged, item) === 'same'

/** The first of the user messages in a row that the request ends with, but for what follows them. */
function lastRun(items: readonly ListItem[]): number {
  let at = items.findLastIndex(isUser)
  while (at > 0 && isUser(items[at - 1]!)) at -= 1
  return at
}
