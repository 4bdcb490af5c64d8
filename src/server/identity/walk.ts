import type { LoggedMessage } from '../../history/index.ts'
import { readLog } from '../../history/log/read-log.ts'
import type { EntryRange, Store, StoredTurn, ThreadKey } from '../../stores/store.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { agreement, joinedAgreement } from './agreement.ts'
import { type Front, isReply, isUser, type ListItem } from './chain.ts'
import { type Compared, comparedOf, exactText, isBeginning, isOfRound, isResult } from './item.ts'

export interface WalkLog {
  readonly store: Store
  readonly count: TokenCounter
}

/** An item of a client's list that stands in a thread. */
export interface Meeting {
  readonly thread: ThreadKey
  /** -1 before the first item. */
  readonly item: number
  /** 0 before the first entry. */
  readonly at: number
  /** How the list and the thread agree up to here. */
  readonly front: Front
}

/** How far a client's list and a thread agree, from a place on that both have. */
export interface Walk {
  readonly thread: ThreadKey
  readonly start: Meeting
  /** How many items agree, counted from the first of the list. */
  readonly items: number
  /** The place of the last entry that agrees. */
  readonly at: number
  /** The places of the items behind the start. */
  readonly places: readonly number[]
  readonly front: Front
  /** What the thread has where the client left something out. Two walks with the same say the same. */
  readonly leftOut: string
  /** Whether the thread says more than what agrees. */
  readonly hasMore: boolean
  /** The last entry that was read, seen by clients or not. */
  readonly end: number
  /** The time of the last entry that was looked at. */
  readonly usedAt: number
}

/** Compares a list with a thread, behind the place where they meet. `fresh`: the first item of which nothing was left out. */
export async function walkOn(
  log: WalkLog,
  list: readonly ListItem[],
  start: Meeting,
  fresh = freshFrom(list),
): Promise<Walk> {
  const { thread } = start
  const isBroken = brokenTurns(log.store, thread)
  const places: number[] = []
  let item = start.item + 1
  let { at, front } = start
  let usedAt = 0
  let end = at
  /** The calls and results behind the last entry that agrees, if the client has left them out. */
  let rounds: Compared[] = []
  const leftOut: string[] = []
  const leaveOut = (missing: readonly Compared[]) => {
    for (const one of missing) leftOut.push(`${item}: ${exactText(one)}`)
    if (missing.length > 0 && front === 'same') front = 'less'
  }
  const walk = (hasMore: boolean): Walk => ({
    ...{ thread, start, items: item, at, places, front, hasMore, end, usedAt },
    leftOut: leftOut.join('\n'),
  })
  for await (const entry of readLog({ ...log, key: thread }, { from: start.at + 1 })) {
    const logged = comparedIn(entry)
    const { seq, turn, time } = entry
    end = seq
    const wanted = list[item]
    if (!logged) continue
    // A client may keep the part of an answer that broke off, or drop it and send the same again: then the whole answer follows.
    const isKept = wanted && isBeginning(wanted.text, logged.text)
    if (entry.isBroken && !(isKept && (await isBroken(turn)))) continue
    usedAt = time
    const how = wanted && (agreement(logged, wanted) ?? joinedAgreement(rounds, logged, wanted))
    const isEqual =
      how === 'same' ||
      (how === 'less' && item < fresh) ||
      (wanted && isBeginning(wanted.text, logged.text) && (await isBroken(turn)))
    if (!isEqual && isLeftOut(logged, wanted)) {
      rounds.push(logged)
      continue
    }
    // A client may drop an answer that broke off.
    const isDropped = !isEqual && wanted && isUser(wanted) && isReply(logged) && (await isBroken(turn))
    if (!isEqual && !isDropped) return walk(true)
    at = seq
    leaveOut(rounds)
    rounds = []
    if (!isEqual) continue
    if (how === 'less') leaveOut([logged])
    item += 1
    places.push(seq)
  }
  // A call that the log does not have is not the end of what was left out.
  if (rounds.length > 0 && !isUser(list[item]!)) return walk(true)
  leaveOut(rounds)
  if (rounds.length > 0) at = end
  return walk(false)
}

/** Whether a client has left out a call or a result, as some keep texts only; never the result of a call that it has kept. */
const isLeftOut = (logged: Compared, wanted: Compared | undefined) =>
  wanted !== undefined && isOfRound(logged) && !isResult(wanted)

/** The first item behind the last reply: what is new is sent whole, so nothing was left out of it. */
const freshFrom = (list: readonly ListItem[]) => list.findLastIndex(isReply) + 1

/** The first item from which on all agree up to the meeting. Undefined if only the words are the same there. */
export async function walkBack(log: WalkLog, list: readonly ListItem[], start: Meeting) {
  const fresh = freshFrom(list)
  let item = start.item + 1
  for await (const { logged } of visible(log, start.thread, { to: start.at, reverse: true })) {
    const wanted = list[item - 1]
    const how = wanted && agreement(logged, wanted)
    if (how === undefined && item <= start.item && isLeftOut(logged, wanted)) continue
    if (how === undefined || (how === 'less' && item > fresh)) break
    item -= 1
  }
  return item > start.item ? undefined : item
}

/** Whether the first items of a list are those that the thread begins with. */
export async function hasFront(log: WalkLog, list: readonly ListItem[], thread: ThreadKey): Promise<boolean> {
  const { items } = await walkOn(log, list, { thread, item: -1, at: 0, front: 'same' }, list.length)
  return items === list.length
}

/** Where a branch leaves a thread: between turns, or before the last one. `from`: the first item that it does not share. */
export async function branchPlace(
  log: WalkLog,
  { thread, start, items, at, places }: Walk,
  { isBeforeTurn }: { readonly isBeforeTurn: boolean } = { isBeforeTurn: false },
): Promise<{ readonly at: number; readonly from: number }> {
  const place = forkPlace(await log.store.turns(thread), at, isBeforeTurn)
  if (place === at) return { at, from: items }
  const shared = places.findIndex(seq => seq > place)
  if (place >= start.at) return { at: place, from: shared < 0 ? items : start.item + 1 + shared }
  let between = 0
  for await (const _ of visible(log, thread, { from: place + 1, to: start.at - 1 })) between += 1
  // A cut list may not reach back to the beginning of the turn.
  return { at: place, from: Math.max(0, start.item - between) }
}

function forkPlace(turns: readonly StoredTurn[], at: number, isBeforeTurn: boolean): number {
  const turn = turns.findLast(({ first }) => first <= at)
  if (!turn || at > turn.last) return at
  return at === turn.last && turn.status !== 'open' && !isBeforeTurn ? at : turn.first - 1
}

/** The entries that clients see, as they are compared. */
async function* visible({ store, count }: WalkLog, key: ThreadKey, range: EntryRange) {
  for await (const entry of readLog({ store, key, count }, range)) {
    const logged = entry.isBroken ? undefined : comparedIn(entry)
    if (logged) yield { logged, seq: entry.seq }
  }
}

function comparedIn({ message, seq, isClosing, isErased }: LoggedMessage): Compared | undefined {
  const compared = isClosing ? undefined : comparedOf(message, seq)
  return compared && isErased ? { ...compared, isErased } : compared
}

/** Whether a turn broke off. Reads the turns once, and only if asked. */
function brokenTurns(store: Store, thread: ThreadKey): (turn: number) => Promise<boolean> {
  let broken: Promise<ReadonlySet<number>> | undefined
  return async turn => {
    broken ??= store
      .turns(thread)
      .then(turns => new Set(turns.filter(({ status }) => status !== 'completed').map(({ turn }) => turn)))
    return (await broken).has(turn)
  }
}

/**
 * The walk that agrees longest; among equals the one from which the least was left out, then one that the list goes on from,
 * then the newest. Lists that agree from the first message on say the same up to here, so either may go on.
 */
export function bestOf(walks: readonly Walk[]): Walk | undefined {
  const rank = ({ items, front, hasMore }: Walk) => items * 4 + (front === 'less' ? 0 : 2) + (hasMore ? 0 : 1)
  return walks.reduce<Walk | undefined>(
    (best, walk) => (best && rank(best) >= rank(walk) ? best : walk),
    undefined,
  )
}

/** Counts the other conversations or threads (as `nameOf` names them) that have a walk that passes. */
export function others(
  walks: readonly Walk[],
  { thread }: Walk,
  nameOf: (thread: ThreadKey) => string,
  passes: (walk: Walk) => boolean,
): number {
  const names = new Set(walks.filter(passes).map(walk => nameOf(walk.thread)))
  names.delete(nameOf(thread))
  return names.size
}

export const nameOfConversation = ({ conversation }: ThreadKey): string => conversation

export const nameOfThread = ({ conversation, actor, branch }: ThreadKey): string =>
  [conversation, actor, branch].join('\n')
