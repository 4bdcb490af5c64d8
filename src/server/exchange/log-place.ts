import type { MessageLike } from '../../log/message.ts'
import type { ThreadKey } from '../../stores/store.ts'
import type { Front, ListItem } from '../identity/chain.ts'

/** What a request says, as its place is decided by it. */
export interface ClientList {
  /** What the request says, with the messages that it only names. */
  readonly messages: readonly MessageLike[]
  readonly items: readonly ListItem[]
  readonly scope: string
  /** Whether it stands beside the conversation: a title, a summary. It is never taken for the conversation's end. */
  readonly isSide: boolean
  /** Whether the client names the conversation. */
  readonly isNamed: boolean
  /** Whether the request holds only what is new. */
  readonly isDelta: boolean
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
  /** Further marks of the last message that is asked. */
  readonly marks?: readonly string[]
  /** The conversation that a side request names and has nothing in common with. */
  readonly beside?: string
  /** For people; holds no text of the conversation. */
  readonly why: string
}

/** An answer that is in the log already: the client lost it on the way, and asks again. */
export interface Again {
  readonly kind: 'again'
  readonly thread: ThreadKey
  /** The place of the last message that was asked. */
  readonly after: number
  readonly turn: number
}
