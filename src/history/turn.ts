import type { MessageLike } from '../log/message.ts'
import type { Begun, Lease, NewEntry, Store, ThreadKey } from '../stores/store.ts'
import type { Calibration } from '../tokens/calibration.ts'
import { closingMessages } from './closing.ts'

/** A turn that is being answered. Its user message is on disk; what follows is appended as it happens. */
export interface Turn {
  readonly number: number
  /** Aborted when the lease is lost: somebody else has gone on, and nothing more can be written. */
  readonly signal: AbortSignal
  /** Appends as it happens: a round of tools, say. Durable when it resolves. */
  append(...messages: readonly MessageLike[]): Promise<void>
  /** The last messages, the note and the end of the turn in one step: committed before anybody is told. */
  complete(reply: MessageLike | readonly MessageLike[], options?: { readonly note?: string }): Promise<void>
  fail(code: string): Promise<void>
  cancel(): Promise<void>
  /** What arrived before a stream broke is kept. */
  interrupt(...arrived: readonly MessageLike[]): Promise<void>
}

interface TurnOptions {
  readonly store: Store
  readonly key: ThreadKey
  readonly begun: Extract<Begun, { kind: 'begun' }>
  readonly leaseMs: number
  /** The messages of the turn so far. */
  readonly messages: readonly MessageLike[]
  readonly toEntries: (
    messages: readonly MessageLike[],
    rest?: { readonly isClosing?: boolean; readonly calibration?: Calibration },
  ) => readonly NewEntry[]
}

export function createTurn({ store, key, begun, leaseMs, messages, toEntries }: TurnOptions): Turn {
  const lease: Lease = begun.lease
  const said = [...messages]
  const lost = new AbortController()
  let { head } = begun
  let isEnded = false
  // A third of the lease: two renewals may fail before it runs out.
  const timer = setInterval(() => {
    store.renew(key, lease, leaseMs).catch(error => {
      if ((error as { code?: string }).code === 'lease_lost') lost.abort(error)
    })
  }, leaseMs / 3)
  timer.unref?.()

  async function end(
    status: 'completed' | 'failed' | 'cancelled' | 'interrupted',
    last: readonly MessageLike[],
    closing: readonly MessageLike[] = [],
    error?: string,
  ): Promise<void> {
    const entries = [...toEntries(last), ...toEntries(closing, { isClosing: true })]
    const ended = { lease, expectedHead: head, entries, status, ...(error === undefined ? {} : { error }) }
    head = (await store.end(key, ended)).head
    isEnded = true
    clearInterval(timer)
  }

  return {
    number: begun.turn.turn,
    signal: lost.signal,
    async append(...more) {
      if (more.length === 0 || isEnded) return
      head = (await store.append(key, { lease, expectedHead: head, entries: toEntries(more) })).head
      said.push(...more)
    },
    complete(reply, { note } = {}) {
      const last = Array.isArray(reply) ? (reply as readonly MessageLike[]) : [reply as MessageLike]
      const noted = note ? [{ role: 'assistant_note', content: note } as MessageLike] : []
      return end('completed', [...last, ...noted])
    },
    fail: code => end('failed', [], closingMessages(said, 'failed', code), code),
    cancel: () => end('cancelled', [], closingMessages(said, 'cancelled')),
    interrupt: (...arrived) =>
      end('interrupted', arrived, closingMessages([...said, ...arrived], 'interrupted')),
  }
}
