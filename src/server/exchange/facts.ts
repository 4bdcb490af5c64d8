import type { StoredTurn, ThreadKey } from '../../stores/store.ts'
import type { Placement } from '../identity/recognise.ts'
import type { Again, ClientList } from './log-place.ts'

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
  readonly branch: Extract<Placement, { kind: 'branches' }>
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
