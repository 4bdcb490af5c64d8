import type { LogSource, Overlay } from '@throughline/history/log'
import type { History } from '@throughline/history/threads'
import type { ChatRequest } from '@throughline/models/dialects'
import type { Store, ThreadKey } from '@throughline/stores/store'
import type { Front } from '../identity/chain.ts'
import type { ClientMessage } from '../identity/client-message.ts'
import type { ListItem } from '../identity/item.ts'
import type { HeadersOf } from '../identity/known-client.ts'
import type { Anchor } from '../identity/walk.ts'

export interface Log {
  readonly store: Store
  readonly history: History
  readonly tenant: string
}

export const logOfPerson = (log: Log, person: string | undefined): Log =>
  person === undefined || person === log.history.person
    ? log
    : { ...log, history: log.history.of(log.tenant, { person }) }

/** The log as the person uses it whom the request names, else as this one does. */
export const logOfSpeaker = (log: Log, person: string | undefined): Log =>
  logOfPerson(log, log.history.person ?? person)

export function sourceOf({ store, history: { count } }: Log, key: ThreadKey): LogSource {
  return { store, key, count }
}

/** A request for a reply, with everything that says where it belongs. */
export interface Inquiry {
  readonly log: Log
  /** Where it came in: the name of an adapter, or `ui-chat`. */
  readonly adapter: string
  readonly request: ChatRequest
  readonly headers: HeadersOf
  /** The client's key, and the person if no conversation is named: lists of different keys or people are never matched. */
  readonly keyId: string
  /** Aborted when the client has left, or the reply was cancelled. */
  readonly signal: AbortSignal
  /** Whether its request is only filed: it waits for nothing, and is never answered from the log. */
  readonly isFiled?: boolean | undefined
  readonly newId: () => string
  readonly now: () => number
}

/** What a request says, as its place is decided by it. */
export interface ClientList {
  /** What the request says, with the messages that it only names. */
  readonly messages: readonly ClientMessage[]
  readonly items: readonly ListItem[]
  readonly scope: string
  /** Whether it stands beside the conversation: a title, a summary. It is never taken for the conversation's end. */
  readonly isSide: boolean
  /** Whether the client names the conversation. */
  readonly isNamed: boolean
  /** Whether the request may hold only what is new. */
  readonly isDelta: boolean
  /** Whether it holds what was said before all the same: then what it lacks of that is not sent. */
  readonly hasPast?: boolean
}

/** Where the messages of a request go. */
export interface LogPlace extends ClientList {
  readonly kind: 'new' | 'extends' | 'branches'
  readonly thread: ThreadKey
  /** The last entry of the thread when the place was found. If entries have come since, it is another place. */
  readonly head?: number
  /** For a branch: what it leaves. */
  readonly fork?: { readonly of: ThreadKey; readonly at: number }
  /** The first of the messages that is not in the log. */
  readonly from: number
  /** Whether the log has all of them, in a turn that its writer left before it had an answer: it is answered now. */
  readonly isLeft?: boolean
  /** How many of them a branch repeats from the thread that it leaves. Default 0. */
  readonly repeated?: number
  /** How the items before `from` agree with the thread. Default `same`. */
  readonly front?: Front
  /** Where the list agreed with the thread in an earlier request, with all that was left out by then. */
  readonly anchor?: Anchor | undefined
  /** What of the thread the list does not hold, or words otherwise. */
  readonly overlay?: Overlay | undefined
  /** Further marks of the last message that is asked. */
  readonly marks?: readonly string[]
  /** The conversation that a side request names and has nothing in common with. */
  readonly beside?: string
  /** For people; holds no text of the conversation. */
  readonly why: string
}

/** The place of messages whose client names their conversation and sends only what is new: there is nothing to compare. */
export const placeByName = (
  place: Pick<LogPlace, 'kind' | 'thread' | 'messages' | 'marks' | 'why'>,
): LogPlace => ({
  ...place,
  from: 0,
  items: [],
  scope: '',
  isSide: false,
  isNamed: true,
  isDelta: true,
})

/** An answer that is in the log already: the client lost it on the way, and asks again. */
export interface Again {
  readonly kind: 'again'
  readonly thread: ThreadKey
  /** The place of the last message that was asked. */
  readonly after: number
  readonly turn: number
}
