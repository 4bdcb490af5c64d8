import { closingOf, overlayBetween, type SeenMessage } from '@throughline/history/log'
import type { Head, ThreadKey } from '@throughline/stores/store'
import type { ClientMessage } from '../identity/client-message.ts'
import { type Inquiry, type Log, type LogPlace, sourceOf } from './inquiry.ts'
import { type Ending, lay } from './lay-list.ts'

/**
 * Lays the list of a request over the thread that it is filed in: what the list does not hold is not sent, and what it words
 * otherwise is sent in its words. Only a client that names the conversation, or the key of one person, gets back what was cut
 * off before the list, and what the client's format cannot carry. Where the thread has no place for a message of the list, the
 * list is filed on a branch from there on.
 */
export async function layOver(inquiry: Inquiry, place: LogPlace): Promise<LogPlace> {
  const { log, newId } = inquiry
  const thread = place.fork?.of ?? place.thread
  const head = place.kind === 'new' ? undefined : await log.store.head(thread)
  const to = place.fork?.at ?? head?.head ?? 0
  if (to === 0) return place
  const stored = log.history.thread(thread.conversation, thread)
  const before = await stored.overlay(to)
  const hasNew = place.from < place.messages.length
  if (place.isDelta && !place.hasPast) {
    if (!hasNew) return place
    const absent = new Map([...(before?.absent ?? [])].map(([seq, { why }]) => [seq, why]))
    for (const seq of await stored.systemPlaces()) if (seq <= to) absent.set(seq, 'system')
    return {
      ...place,
      overlay: overlayBetween(before, { absent, versions: before?.versions ?? new Map() }),
    }
  }
  const anchored = place.anchor && (await stored.overlay(place.anchor.at))
  const mayRestore = place.isNamed || log.history.person !== undefined
  const isNewTurn = isUserFirst(place.messages.slice(place.from))
  const endings = isNewTurn && !place.fork ? await comingEndings(log, thread, head) : []
  const laying = { log, thread, to, place, before, anchored, mayRestore, endings }
  let laid = await lay(laying)
  // Of equal answers each stands with its question, unless the list has none of them so.
  if (laid.refile?.at === 0) laid = await lay({ ...laying, isByTurn: false })
  let overlay = overlayBetween(before, laid)
  // An overlay is stored with a new entry: without one, the last turn is filed again.
  if (overlay && !hasNew && !laid.refile) {
    laid = await lay({ ...laying, isLastApart: true })
    overlay = overlayBetween(before, laid)
  }
  const { refile } = laid
  if (!refile) return { ...place, overlay }
  return {
    ...place,
    kind: 'branches',
    isLeft: false,
    repeated: 0,
    head: undefined,
    overlay,
    from: refile.from,
    thread: { ...thread, branch: place.fork ? place.thread.branch : newId() },
    fork: { of: thread, at: refile.at },
    why: `${place.why}; the client has put other messages between`,
  }
}

/** The endings that will be written before the next turn, where its writer has left one open. */
async function comingEndings(
  log: Log,
  thread: ThreadKey,
  head: Head | undefined,
): Promise<readonly Ending[]> {
  const end = head?.open && (await closingOf(sourceOf(log, thread), head))
  if (!end) return []
  const { head: last, open } = head!
  return end.closing.flatMap((one: SeenMessage, at) => {
    const ending = { seq: last + 1 + at, turn: open!.turn, view: one.view ?? one.message, time: 0 }
    return ending.view.role === 'assistant' ? [ending] : []
  })
}

const isUserFirst = (messages: readonly ClientMessage[]) =>
  messages.find(({ reading }) => reading.role !== 'system')?.reading.role === 'user'
