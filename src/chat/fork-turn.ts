import type { LoggedMessage } from '../history/log/logged-message.ts'
import type { Thread } from '../history/thread.ts'
import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { showValue } from '../log/show-value.ts'
import { turnOpen } from '../stores/refusals.ts'
import type { StoredTurn } from '../stores/store.ts'

export interface TurnAgain {
  /** The place of an entry of the turn. Default: the last turn. */
  readonly at: number | undefined
  /** Replaces the user message at `at`. Without it the turn begins as it did. */
  readonly edited?: MessageLike
  /** An idempotency key: the same key again uses the same branch. */
  readonly key: string | undefined
}

/** The messages that begin a turn, and the branch it is on. */
export interface TurnStart {
  readonly thread: Thread
  readonly input: readonly MessageLike[]
}

/** Forks a thread before a turn, so that the turn can be answered once more. */
export async function forkTurn(thread: Thread, { at, edited, key }: TurnAgain): Promise<TurnStart> {
  const status = await thread.status()
  if (status.state === 'open') throw turnOpen(thread.key, status.turn, status.expiresInMs)
  const { first, last } = findTurn(await thread.turns(), at)
  const entries = await thread.entries({ at: last, limit: last - first + 1 })
  const reply = entries.findIndex(({ message }) => message.role !== 'user')
  const asked = reply < 0 ? entries : entries.slice(0, reply)
  if (edited && !asked.some(({ seq }) => seq === at))
    throw new InvalidOptionError('at', `there is no user message at place ${at}: take the seq of display()`)
  const input = asked.map(entry => (edited && entry.seq === at ? edited : asGiven(entry)))
  const branch = key === undefined ? {} : { branch: `${edited ? 'edit' : 'again'} ${key}` }
  return { thread: await thread.fork({ at: first - 1, ...branch }), input }
}

function findTurn(turns: readonly StoredTurn[], at: number | undefined): StoredTurn {
  const found = at === undefined ? turns.at(-1) : turns.find(({ first, last }) => first <= at && at <= last)
  if (found) return found
  const problem =
    at === undefined
      ? 'there is no turn to answer again'
      : `expected the place of an entry of a turn, got ${showValue(at)}`
  throw new InvalidOptionError('at', problem)
}

/** A message without the time that the log adds when it is read. */
function asGiven({ message, time }: LoggedMessage): MessageLike {
  const { time: own, ...given } = message as MessageLike & { readonly time?: unknown }
  return own === time ? (given as MessageLike) : message
}
