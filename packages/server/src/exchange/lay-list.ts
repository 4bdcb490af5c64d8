import type { Message } from '@throughline/core/messages'
import {
  type Absence,
  isHandEntry,
  type LoggedMessage,
  type OverlayState,
  readLog,
  type Version,
} from '@throughline/history/log'
import type { ThreadKey } from '@throughline/stores/store'
import type { Agreement, Compared } from '../identity/agreement.ts'
import * as compare from '../identity/agreement.ts'
import { callMark } from '../identity/chain.ts'
import { comparedIn, type ListItem } from '../identity/item.ts'
import { type Log, type LogPlace, sourceOf } from './inquiry.ts'
import { backwards, compareLoose, hasThoughts, wordedAs } from './list-words.ts'

export interface Laying {
  readonly log: Log
  readonly thread: ThreadKey
  /** The last entry that the list is laid over. */
  readonly to: number
  readonly place: LogPlace
  /** What was left out of the thread by its end. */
  readonly before: OverlayState | undefined
  /** What a list that agreed up to the anchor had left out there. */
  readonly anchored: OverlayState | undefined
  readonly mayRestore: boolean
  /** What will tell the model how the last turn ended, if its writer has left it open. */
  readonly endings: readonly Ending[]
  /** Whether an answer is held only with the question before it. Default true. */
  readonly isByTurn?: boolean
  /** Whether the last turn is filed again. Default false. */
  readonly isLastApart?: boolean
}

/** A message of ours that tells the model how a turn ended. No client has it. */
export type Ending = Pick<LoggedMessage, 'seq' | 'turn' | 'view' | 'time'>

/** A list as it was laid: entries that are not named are held as they were logged. */
interface LaidList {
  readonly absent: ReadonlyMap<number, Absence>
  readonly versions: ReadonlyMap<number, Version>
  readonly isWindow?: boolean
  /** Where the list leaves the thread, and the first of its messages that is filed again. */
  readonly refile?: { readonly at: number; readonly from: number }
}

/** Compares backwards: the list is the end of the thread, and what it leaves out stands before it or between. */
export async function lay(laying: Laying): Promise<LaidList> {
  const { log, thread, to, place, before, anchored, mayRestore, endings } = laying
  const { isByTurn = true, isLastApart = false } = laying
  const { items, messages } = place
  const entries = backwards(readLog(sourceOf(log, thread), { to, reverse: true }))
  const absent = new Map<number, Absence>(endings.map(({ seq }) => [seq, 'ending']))
  const versions = new Map<number, Version>()
  /** Entries that the list does not hold. Whether that is its client's form is known when their turn was read. */
  let missing: { readonly seq: number; readonly turn: number; readonly isRound: boolean }[] = []
  const heldTurns = new Set<number>()
  const calledTurns = new Set<number>()
  let { anchor, from: end } = place
  let refile: { at: number; from?: number } | undefined
  /** The entry of the item behind, system messages behind the last entry that was compared, and notes behind that. */
  let later = to
  let loose: LoggedMessage[] = []
  let notes: number[] = []
  let ending = endings.at(-1)
  let item = items.findLastIndex(({ index }) => index < end)
  let isWindow = false
  let firstHeld: LoggedMessage | undefined
  let isFrontLeft = false
  if (isLastApart) await refileBefore(to)
  for (;;) {
    const next = await entries.peek(0)
    if (!next) break
    if (anchor && item === anchor.item && next.seq <= anchor.at) {
      heldTurns.add(next.turn)
      if (isSearching()) endSharing(items[item]!)
      await closeGap()
      break
    }
    entries.skip()
    const { seq, turn, message } = next
    // The thread does not have all of the list behind the anchor.
    if (anchor && seq <= anchor.at) anchor = undefined
    if (isHandEntry(next)) continue
    if (next.isClosing) {
      if (message.role !== 'assistant') continue
      ending = next
      absent.set(seq, 'ending')
      continue
    }
    const logged = comparedIn(next)
    if (message.role === 'assistant_note') notes.push(seq)
    else if (!logged) loose.unshift(next)
    else if (item < 0) {
      // What stands before the first message in its own turn was deleted: no client cuts there.
      const isOfTurn = turn === firstHeld?.turn && firstHeld.message.role === 'user'
      if (isOfTurn) missing.push({ seq, turn, isRound: false })
      else {
        await leaveFront(seq, turn)
        break
      }
    } else {
      const how = await agreementOf(next, logged, items[item]!)
      if (how) {
        await hold(next, logged, items[item]!, how)
        item -= 1
      } else if (!next.isBroken) {
        for (const one of [seq, ...notes])
          missing.push({ seq: one, turn, isRound: compare.isOfRound(logged) })
        notes = []
      }
    }
  }
  if (anchor) keepBefore(anchored, anchor.at)
  else if (item >= 0) return { absent: new Map(), versions: new Map(), refile: { at: 0, from: 0 } }
  else if (!isFrontLeft) await closeGap()
  for (const { seq, turn, isRound } of missing) {
    const isForm = isRound && heldTurns.has(turn) && !calledTurns.has(turn)
    if (!isForm || !mayRestore) absent.set(seq, isForm ? 'form' : 'deleted')
  }
  const laid = { absent, versions, isWindow }
  return refile ? { ...laid, refile: { at: refile.at, from: refile.from ?? 0 } } : laid

  /** Up to an entry, all is as it was; what was taken for deleted at the front was not. */
  function keepBefore(state: OverlayState | undefined, to: number): void {
    for (const [seq, { why }] of state?.absent ?? [])
      if (seq <= to && !(isWindow && why === 'front')) absent.set(seq, why)
    for (const [seq, version] of state?.versions ?? []) if (seq <= to) versions.set(seq, version)
  }

  /** Whether the list is filed again from a place on, and the last message before that is still looked for. */
  function isSearching(): boolean {
    return refile !== undefined && refile.from === undefined
  }

  /** An item is the last one that the list shares with the thread. */
  function endSharing({ index }: ListItem): void {
    end = index + 1
    refile = { ...refile!, from: end }
  }

  /**
   * The list begins behind an entry. A client that sends the newest messages only loses more of the front with every turn; one
   * that loses one or two turns, and no more, has deleted them.
   */
  async function leaveFront(seq: number, turn: number): Promise<void> {
    await closeGap()
    isFrontLeft = true
    const earlier = [...(before?.absent ?? [])]
      .filter(([, { why }]) => why === 'front')
      .map(([one]) => one)
    const hasMoved = earlier.length > 0 && earlier.every(one => one < seq)
    isWindow =
      mayRestore && (before?.isWindow === true || hasMoved || turn > mostDeleted || turn === 0)
    if (isWindow) keepBefore(before, seq)
    else for (let cut = 1; cut <= seq; cut++) absent.set(cut, mayRestore ? 'front' : 'cut')
  }

  /** From the turn of an entry on, the list is filed again: what was compared there counts no more. */
  async function refileBefore(seq: number): Promise<void> {
    const turns = await log.store.turns(thread)
    const at = (turns.findLast(({ first }) => first <= seq)?.first ?? 1) - 1
    refile = { at }
    if (anchor && anchor.at > at) anchor = undefined
    for (const record of [absent, versions])
      for (const one of [...record.keys()]) if (one > at) record.delete(one)
    missing = missing.filter(one => one.seq <= at)
  }

  /** Takes note of an entry that the list holds. */
  async function hold(
    entry: LoggedMessage,
    logged: Compared,
    wanted: ListItem,
    how: Agreement,
  ): Promise<void> {
    const { seq, turn } = entry
    if (!isSearching()) await closeGap()
    const isTold = entry.isBroken && ending?.turn === turn
    // What broke off and was tried again is never sent from the log.
    if (entry.isBroken && !isTold && !isSearching()) await refileBefore(seq)
    if (isSearching() && seq <= refile!.at) {
      endSharing(wanted)
      for (const one of loose) if (one.seq <= refile!.at) absent.set(one.seq, 'system')
    }
    firstHeld = entry
    later = seq
    const behind = notes
    notes = []
    loose = []
    if (isSearching()) return
    if (!mayRestore) for (const note of behind) absent.set(note, 'note')
    if (compare.isUser(logged)) heldTurns.add(turn)
    if (compare.isOfRound(logged)) calledTurns.add(turn)
    if (isTold) {
      absent.delete(ending!.seq)
      versions.set(ending!.seq, wordedAs(ending!, messages[wanted.index]!.source))
      return
    }
    const version = await versionOf(entry, logged, wanted, how)
    if (version !== undefined) versions.set(seq, version)
  }

  async function agreementOf(entry: LoggedMessage, logged: Compared, wanted: ListItem) {
    const how = compare.agreement(logged, wanted)
    if (how && isByTurn && !(await isBehindItsQuestion(entry, logged))) return undefined
    if (how && compare.isResult(logged) && !(await isBehindItsCall(entry))) return undefined
    if (how || !compare.isReply(logged) || !compare.isReply(wanted) || compare.isOfRound(logged))
      return how
    const rounds: Compared[] = []
    for (let n = 0; ; n++) {
      const earlier = await entries.peek(n)
      const one = earlier && earlier.turn === entry.turn ? comparedIn(earlier) : undefined
      if (!one || !compare.isOfRound(one)) break
      rounds.unshift(one)
    }
    if (compare.joinedAgreement(rounds, logged, wanted)) return 'reworded'
    if (!compare.isBeginning(wanted, logged)) return undefined
    const turns = await log.store.turns(thread)
    return turns.find(({ turn }) => turn === entry.turn)?.status === 'completed'
      ? undefined
      : 'reworded'
  }

  /** Whether the message before an answer is what its turn asked. Clients give many the same answer. */
  async function isBehindItsQuestion({ turn }: LoggedMessage, logged: Compared): Promise<boolean> {
    const question = items[item - 1]
    if (!question || !compare.isUser(question) || !compare.isReply(logged)) return true
    for (let n = 0; ; n++) {
      const earlier = await entries.peek(n)
      if (!earlier || earlier.turn !== turn) return true
      const asked = comparedIn(earlier)
      if (asked && compare.isUser(asked)) return compare.agreement(asked, question) !== undefined
    }
  }

  /** Whether a result follows the call that the list has before it. Two rounds may give the same. */
  async function isBehindItsCall({ turn }: LoggedMessage): Promise<boolean> {
    const call = items
      .slice(Math.max(0, item - mostResults), item)
      .findLast(one => !compare.isResult(one))
    if (!call || compare.isUser(call)) return true
    for (let n = 0; n < mostResults; n++) {
      const earlier = await entries.peek(n)
      if (!earlier || earlier.turn !== turn) return true
      const logged = comparedIn(earlier)
      if (logged && !compare.isResult(logged)) return compare.agreement(logged, call) !== undefined
    }
    return true
  }

  /** The client's words, where they are sent in place of those of the log. */
  async function versionOf(
    entry: LoggedMessage,
    logged: Compared,
    wanted: ListItem,
    how: Agreement,
  ) {
    const { source: copy, reading } = messages[wanted.index]!
    const isRestored = mayRestore && (how === 'same' || compare.isProgramsClip(wanted, logged))
    if (how !== 'same') return isRestored ? undefined : wordedAs(entry, copy)
    if (isRestored || !hasThoughts(entry.view)) return undefined
    if (await isNamedByCall(reading)) return undefined
    // Its client has put the thoughts into the text.
    if (logged.text !== wanted.text) return wordedAs(entry, copy)
    if (!hasThoughts(copy)) return 'words'
    return copy.thinking === entry.view.thinking ? undefined : wordedAs(entry, copy)
  }

  /**
   * Whether a client names a message by the id of a call in it that no other conversation has. Its thoughts go with it: Claude
   * refuses a call without them.
   */
  async function isNamedByCall({ calls }: Message): Promise<boolean> {
    const id = calls[0]?.id
    if (id === undefined) return false
    const places = await log.store.findMarks(log.tenant, [callMark(place.scope, id)])
    return places.length > 0 && places.every(one => one.thread.conversation === thread.conversation)
  }

  /** Compares what stands behind an item, or before the first, and is no item itself: system messages. */
  async function closeGap(): Promise<void> {
    const wanted = messages.slice(
      item < 0 ? 0 : items[item]!.index + 1,
      Math.min(end, items[item + 1]?.index ?? end),
    )
    const { added, gone } = compareLoose(wanted, loose)
    for (const { source, reading } of added) {
      const place = gone.findIndex(one => one.reading.role === reading.role)
      // The thread has no place for it: what follows is filed behind it.
      if (place < 0) return refileBefore(later)
      const [one] = gone.splice(place, 1)
      versions.set(one!.seq, wordedAs(one!, source))
    }
    for (const { seq } of gone) absent.set(seq, 'system')
  }
}

/** In a round with more results its call is not looked for. */
const mostResults = 32

/** More turns than these are cut off by a client, and not deleted by a person between two messages. */
const mostDeleted = 2
