import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import type { Begun, Lease, NewEntry, Store, ThreadKey } from '../stores/store.ts'
import type { Calibration } from '../tokens/calibration.ts'
import { closingMessages, noReply } from './closing.ts'
import { isSeen, type SeenMessage } from './logged-message.ts'
import { createQueue } from './queue.ts'

/** A turn that is being answered. Its user message is on disk; what follows is appended as it happens. */
export interface Turn {
  readonly number: number
  /** The place that the next entry will have. */
  readonly next: number
  /** Aborted when the lease is lost: somebody else has gone on, and nothing more can be written. */
  readonly signal: AbortSignal
  /** Appends as it happens: a round of tools, say. Durable when it resolves. */
  append(...messages: readonly (MessageLike | SeenMessage)[]): Promise<void>
  /** The same for messages that must know their place: they are made when it is their turn. */
  appendAt(make: (place: number) => readonly TurnMessage[]): Promise<void>
  /** The last messages, the note and the end of the turn in one step: committed before anybody is told. */
  complete(
    reply: TurnMessage | readonly TurnMessage[],
    options?: { readonly note?: string | undefined },
  ): Promise<void>
  fail(code: string, ...arrived: readonly TurnMessage[]): Promise<void>
  /** What arrived before is kept, here and in the next. */
  cancel(...arrived: readonly TurnMessage[]): Promise<void>
  interrupt(...arrived: readonly TurnMessage[]): Promise<void>
  /** Goes into the log with the next entry: how far our counts are from the provider's. */
  calibrate(calibration: Calibration): void
}

type TurnMessage = MessageLike | SeenMessage

interface TurnOptions {
  readonly store: Store
  readonly key: ThreadKey
  readonly begun: Extract<Begun, { kind: 'begun' }>
  readonly leaseMs: number
  /** The messages of the turn so far. */
  readonly messages: readonly MessageLike[]
  readonly toEntries: (
    messages: readonly TurnMessage[],
    rest?: { readonly isClosing?: boolean; readonly calibration?: Calibration },
  ) => readonly NewEntry[]
}

export function createTurn({ store, key, begun, leaseMs, messages, toEntries }: TurnOptions): Turn {
  const lease: Lease = begun.lease
  const said = [...messages]
  const lost = new AbortController()
  const inTurn = createQueue()
  let { head } = begun
  let calibration: Calibration | undefined
  // A third of the lease: two renewals may fail before it runs out.
  const timer = setInterval(() => {
    store.renew(key, lease, leaseMs).catch(error => {
      if ((error as { code?: string }).code !== 'lease_lost') return
      clearInterval(timer)
      lost.abort(error)
    })
  }, leaseMs / 3)
  timer.unref?.()

  /** Entries of the turn; the first one carries what has to be logged besides. */
  function toLogged(added: readonly TurnMessage[]): readonly NewEntry[] {
    if (!calibration) return toEntries(added)
    const [first, ...rest] = added
    return first ? [...toEntries([first], { calibration }), ...toEntries(rest)] : []
  }

  async function write(added: readonly TurnMessage[]): Promise<void> {
    if (added.length === 0) return
    const append = { lease, expectedHead: head, entries: toLogged(added) }
    head = (await untilKnown(() => store.append(key, append))).head
    calibration = undefined
    said.push(...added.map(wholeOf))
  }

  async function end(
    status: 'completed' | 'failed' | 'cancelled' | 'interrupted',
    entries: readonly NewEntry[],
    error?: string,
  ): Promise<void> {
    const ended = { lease, expectedHead: head, entries, status, ...(error === undefined ? {} : { error }) }
    try {
      head = (await untilKnown(() => store.end(key, ended))).head
    } finally {
      clearInterval(timer)
    }
  }

  /** Ends a turn that did not end by itself, in a way that leaves a valid sequence. */
  function close(
    status: 'failed' | 'cancelled' | 'interrupted',
    arrived: readonly TurnMessage[],
    code?: string,
  ): Promise<void> {
    return inTurn(() => {
      const closing = closingMessages([...said, ...arrived.map(wholeOf)], status, code)
      // Where nothing arrived, what closes the turn carries what has to be logged besides.
      const besides = calibration && arrived.length === 0 ? { calibration } : {}
      return end(status, [...toLogged(arrived), ...toEntries(closing, { isClosing: true, ...besides })], code)
    })
  }

  return {
    number: begun.turn.turn,
    get next() {
      return head + 1
    },
    signal: lost.signal,
    append: (...more) => inTurn(() => write(more)),
    appendAt: make => inTurn(() => write(make(head + 1))),
    complete(reply, { note } = {}) {
      const last = Array.isArray(reply) ? (reply as readonly TurnMessage[]) : [reply as TurnMessage]
      const noted = note ? [{ role: 'assistant_note', content: note }] : []
      const shown = last.filter(message => !isSilent(wholeOf(message)))
      // A reply that says nothing is no message; the model must still find one where its answer was.
      const silence = shown.length < last.length ? toEntries([noReply], { isClosing: true }) : []
      return inTurn(() => end('completed', [...toLogged(shown), ...silence, ...toEntries(noted)]))
    },
    fail: (code, ...arrived) => close('failed', arrived, code),
    cancel: (...arrived) => close('cancelled', arrived),
    interrupt: (...arrived) => close('interrupted', arrived),
    calibrate(given) {
      calibration = given
    },
  }
}

/**
 * An answer that got lost is asked for again. The entries are the same, with the same ids: what was written is not
 * written twice.
 */
async function untilKnown<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if ((error as { code?: string }).code !== 'outcome_unknown' || attempt > 3) throw error
    }
  }
}

const wholeOf = (given: TurnMessage): MessageLike => (isSeen(given) ? given.message : given)

function isSilent(message: MessageLike): boolean {
  const { role, text, calls, media, unknown } = parseMessage(message, 0)
  return role === 'assistant' && text.trim() === '' && calls.length === 0 && media === 0 && unknown === ''
}
