import { mainBranch, sideName } from '@throughline/history/log'
import { unknownId } from '@throughline/models/ids'
import type { StoredTurn, ThreadKey } from '@throughline/stores/store'
import type { Front } from '../identity/chain.ts'
import { itemsOf, type ListItem } from '../identity/item.ts'
import type { Placement } from '../identity/recognise.ts'
import { anchorOf, type BranchPlace } from '../identity/walk.ts'
import type { Again, ClientList, LogPlace } from './inquiry.ts'

/** What the log says of a request, by the way that its client takes: all of the list, only what is new, or behind a reply. */
export type Facts = ListFacts | EndFacts | ReplyFacts

export interface ListFacts {
  readonly by: 'list'
  readonly list: ClientList
  readonly match: ListMatch
  readonly why: string
}

export type ListMatch =
  | (Extract<Placement, { kind: 'new' }> & {
      /** The thread of a subagent whose task the list begins with. */
      readonly agent?: ThreadKey
    })
  | (Extract<Placement, { kind: 'branches' }> & {
      /** The branch that was written to last, for a client that always goes on at the end. */
      readonly newest?: ThreadKey
    })
  | (Extract<Placement, { kind: 'extends' | 'repeats' }> & {
      /** Absent where the list goes on at the end of a thread that has no open turn. */
      readonly past?: PastFacts
    })

/** What became of the messages of a list that are in the log. */
export interface PastFacts {
  /** The turn that the list ends in, if the request may be that of the turn once more. */
  readonly retried?: StoredTurn
  /** Whether it surely is: a key says so, or the conversation has no other turn yet. */
  readonly isSure: boolean
  /** Whether the log has the whole reply to the retried request. */
  readonly hasReply: boolean
  /** Whether the list ends in a turn that its writer left without an answer. */
  readonly isLeft: boolean
  /** Where a branch with another answer leaves the thread. */
  readonly branch: BranchPlace
}

/** The client names the conversation and sends only what is new. */
export interface EndFacts {
  readonly by: 'end'
  readonly list: ClientList
  /** The branch that was written to last. */
  readonly thread: ThreadKey
  /** `missing`: conversations of this kind are made before they are named. */
  readonly conversation: 'there' | 'new' | 'missing'
  /** What became of the request the first time it came. */
  readonly earlier?: Again | FailedTurn
  readonly why: string
}

/** A turn without an answer, and the messages of the request that it was. */
export interface FailedTurn {
  readonly kind: 'failed'
  readonly thread: ThreadKey
  readonly turn: StoredTurn
  /** Whether its writer left it, and it ends with the request. */
  readonly isLeft: boolean
  /** The messages of the turn before those of the request, and those of the request. */
  readonly messages: ClientList['messages']
  readonly repeated: number
}

/** The client names the reply that it goes on from. */
export interface ReplyFacts {
  readonly by: 'reply'
  /** What the request brings, behind the message of the log that stands before it. */
  readonly list: ClientList
  readonly thread: ThreadKey
  /** The turn of the reply, and whether it is the last of the thread. */
  readonly turn: StoredTurn
  readonly isLast: boolean
  /** How many messages of the turn the list repeats, because the turn went on without this request. */
  readonly repeated?: number
  /** What became of the request the first time it came; `left`: its turn was left without an answer. */
  readonly earlier?: Again | 'left'
  readonly why: string
}

/** Decides where a request goes by its facts, without reading the store. `newId` names new conversations and branches. */
export function decide(facts: Facts, newId: () => string): LogPlace | Again {
  switch (facts.by) {
    case 'list':
      return decideList(facts, newId)
    case 'end':
      return decideEnd(facts, newId)
    case 'reply':
      return decideReply(facts, newId)
  }
}

function decideList({ list, match, why }: ListFacts, newId: () => string): LogPlace | Again {
  switch (match.kind) {
    case 'new':
      if (!match.agent) return begin(list, match.thread, why, newId)
      return { ...list, kind: 'new', isNamed: true, thread: match.agent, from: 0, why: ofAgent }
    case 'branches': {
      if (!list.isDelta) return branch(list, match, why, newId)
      // The client always goes on at the end: what it sends beyond what agrees is new there.
      const { newest: thread = match.of } = match
      return { ...list, kind: 'extends', thread, from: firstOf(list.items, match.from), why }
    }
    case 'extends': {
      const { thread, end: head, items, front } = match.walk
      if (match.past) return branch(list, match.past.branch, why, newId)
      const from = firstOf(list.items, items)
      const anchor = anchorOf(match.walk)
      return {
        ...list,
        kind: 'extends',
        thread,
        head,
        front: frontOf(front, list),
        from,
        anchor,
        why,
      }
    }
    case 'repeats': {
      const { thread, at: after } = match.walk
      const { retried, isSure, hasReply, isLeft, branch: place } = match.past!
      if (match.isGreeting && !isSure)
        return begin(list, { ...thread, ...firstThread(newId()) }, why, newId)
      if (retried && hasReply) return { kind: 'again', thread, after, turn: retried.turn }
      if (isLeft && !list.isSide) return takeOver({ ...list, thread }, why)
      return branch(list, place, `${why}; answered once more, on a branch`, newId)
    }
  }
}

const ofAgent = 'it begins with the task that a call of this conversation gave to an agent'

const firstThread = (conversation: string) => ({
  conversation,
  actor: 'assistant',
  branch: mainBranch,
})

/** A new conversation. One that begins with a side request is none: lists leave it out, and it is deleted after a while. */
function begin(list: ClientList, thread: ThreadKey, why: string, newId: () => string): LogPlace {
  const conversation = list.isSide ? sideName(newId()) : thread.conversation
  return { ...list, kind: 'new', thread: { ...thread, conversation }, from: 0, why }
}

function branch(
  list: ClientList,
  { of, at, from, front, anchor }: BranchPlace,
  why: string,
  newId: () => string,
): LogPlace {
  if (list.isSide && at === 0) {
    const thread = { ...of, conversation: sideName(newId()), branch: mainBranch }
    return { ...list, kind: 'new', thread, beside: of.conversation, from: 0, why }
  }
  return {
    ...list,
    kind: 'branches',
    front: frontOf(front, list),
    from: firstOf(list.items, from),
    anchor,
    why,
    ...forkOf(of, at, list.isSide ? sideName(newId()) : newId()),
  }
}

function forkOf(of: ThreadKey, at: number, branch: string) {
  return { thread: { ...of, branch }, fork: { of, at } }
}

/** The place of a request that the log has already, in a turn that its writer left. Taking it over fences that writer. */
const takeOver = (place: Omit<LogPlace, 'kind' | 'from' | 'why'>, why: string): LogPlace => ({
  ...place,
  kind: 'extends',
  isLeft: true,
  from: place.messages.length,
  why: `${why}; its turn was left open, and is answered now`,
})

/** In a conversation that its client names, whatever was recognised once is recognised again. */
const frontOf = (front: Front, { isNamed }: ClientList): Front =>
  front === 'cut' && isNamed ? 'same' : front

/** The index of the first message behind the items that agree. A system message before a new one is new. */
const firstOf = (items: readonly ListItem[], agreeing: number) =>
  agreeing === 0 ? 0 : items[agreeing - 1]!.index + 1

/** Again the same reply. If it failed, the same turn is tried; if more was said since, a branch that leaves before it. */
function decideEnd(
  { list, thread, conversation, earlier, why }: EndFacts,
  newId: () => string,
): LogPlace | Again {
  if (earlier?.kind === 'again') return earlier
  if (earlier?.isLeft) return takeOver({ ...list, thread: earlier.thread }, why)
  if (earlier) {
    const { thread: of, turn, messages, repeated } = earlier
    return {
      ...list,
      kind: 'branches',
      messages,
      repeated,
      items: itemsOf(messages),
      from: 0,
      ...forkOf(of, turn.first - 1, newId()),
      why: `${why}; it failed before, and is answered once more, on a branch`,
    }
  }
  if (conversation === 'missing')
    throw unknownId('Conversation', thread.conversation, 'conversation')
  return { ...list, kind: conversation === 'there' ? 'extends' : 'new', thread, from: 0, why }
}

/** The end of the thread, or a branch behind the reply; where its turn went on, one before the turn that repeats it so far. */
function decideReply(facts: ReplyFacts, newId: () => string): LogPlace | Again {
  const { list, thread, turn, isLast, repeated, earlier, why } = facts
  if (earlier === 'left') return takeOver({ ...list, thread, items: [], front: 'cut' }, why)
  if (earlier) return earlier
  const place = { ...list, from: 0, front: 'cut', repeated, why } as const
  if (repeated === undefined && isLast)
    return { ...place, kind: 'extends', thread, head: turn.last }
  const at = repeated === undefined ? turn.last : turn.first - 1
  return { ...place, kind: 'branches', ...forkOf(thread, at, newId()) }
}
