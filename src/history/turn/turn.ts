import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { Begun, Lease, NewEntry, Store, ThreadKey } from '../../stores/store.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import { type CancelledTurn, closingFor, type Ending, noReply } from '../log/closing.ts'
import { type SeenMessage, wholeOf, withEnding } from '../log/logged-message.ts'
import { createQueue } from '../log/queue.ts'
import { keepLease } from './keep-lease.ts'
import { untilKnown } from './until-known.ts'

/** A turn that is being answered. Its user message is stored; the rest is appended as it happens. */
export interface Turn {
  readonly number: number
  /** The place that the next entry will have. */
  readonly next: number
  /** Aborted when the lease is lost: another writer has taken over, and this turn can write no more. */
  readonly signal: AbortSignal
  /** Appends messages, a round of tools, say. They are stored when this resolves. */
  append(...messages: readonly (MessageLike | SeenMessage)[]): Promise<void>
  /** Appends messages that contain their place: `make` is called when the place is known. */
  appendAt(make: (place: number) => readonly TurnMessage[]): Promise<void>
  /** Stores the last messages, the note and the end of the turn in one step. */
  complete(
    reply: TurnMessage | readonly TurnMessage[],
    options?: { readonly note?: string | undefined },
  ): Promise<void>
  fail(code: string, ...arrived: readonly TurnMessage[]): Promise<void>
  /** Ends the turn as cancelled, and keeps what `arrived` of the answer. `fail` and `interrupt` do the same. */
  cancel(...arrived: readonly TurnMessage[]): Promise<void>
  interrupt(...arrived: readonly TurnMessage[]): Promise<void>
  /** Gives the turn up without ending it. The next writer closes it, or goes on with it by `thread.resume()`. */
  leave(): Promise<void>
  /** Logs how far our counts are from the provider's, with the next entry. */
  calibrate(calibration: Calibration): void
}

type TurnMessage = MessageLike | SeenMessage

type Group = readonly [messages: readonly TurnMessage[], options?: { readonly isClosing: boolean }]

interface TurnOptions {
  readonly store: Store
  readonly key: ThreadKey
  readonly begun: Extract<Begun, { kind: 'begun' }>
  readonly leaseMs: number
  readonly cancelledTurn?: CancelledTurn | undefined
  /** The messages of the turn so far. */
  readonly messages: readonly MessageLike[]
  readonly toEntries: (
    messages: readonly TurnMessage[],
    rest?: { readonly isClosing?: boolean; readonly calibration?: Calibration },
  ) => readonly NewEntry[]
}

export function createTurn(options: TurnOptions): Turn {
  const { store, key, begun, leaseMs, cancelledTurn, messages, toEntries } = options
  const lease: Lease = begun.lease
  const said = [...messages]
  const lost = new AbortController()
  const inTurn = createQueue()
  let { head } = begun
  let calibration: Calibration | undefined
  const stopRenewing = keepLease({ store, key, lease, leaseMs, onLost: error => lost.abort(error) })

  /** Makes entries. The first one carries the calibration. */
  function toLogged(...groups: readonly Group[]): {
    entries: readonly NewEntry[]
    calibration?: Calibration
  } {
    const besides = calibration && { calibration }
    let isFirst = true
    const entries = groups.flatMap(([messages, options]) =>
      messages.flatMap(message => {
        const carried = isFirst ? besides : undefined
        isFirst = false
        return toEntries([message], { ...options, ...carried })
      }),
    )
    return { entries, ...besides }
  }

  /** Forgets the calibration that was written, unless a newer one came meanwhile. */
  function logged(written: Calibration | undefined): void {
    if (calibration === written) calibration = undefined
  }

  async function write(added: readonly TurnMessage[]): Promise<void> {
    if (added.length === 0) return
    const { entries, calibration: carried } = toLogged([added])
    const append = { lease, expectedHead: head, entries }
    head = (await untilKnown(() => store.append(key, append))).head
    logged(carried)
    for (const one of added) said.push(wholeOf(one))
  }

  async function end(
    status: 'completed' | 'failed' | 'cancelled' | 'interrupted',
    groups: readonly Group[],
    error?: string,
  ): Promise<void> {
    try {
      const { entries } = toLogged(...groups)
      const ended = { lease, expectedHead: head, entries, status, ...(error === undefined ? {} : { error }) }
      head = (await untilKnown(() => store.end(key, ended))).head
    } finally {
      stopRenewing()
    }
  }

  function close(ending: Ending, arrived: readonly TurnMessage[]): Promise<void> {
    return inTurn(() => {
      const closing = closingFor({ said, arrived, toMessage: wholeOf, join: withEnding }, ending)
      const groups: Group[] = [[closing.results, asClosing], [closing.arrived], [closing.last, asClosing]]
      return end(ending.status, groups, ending.code)
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
      // An empty reply is not stored, but some message must stand where the answer was.
      const silence = shown.length < last.length ? [noReply] : []
      return inTurn(() => end('completed', [[shown], [silence, asClosing], [noted]]))
    },
    fail: (code, ...arrived) => close({ status: 'failed', code }, arrived),
    cancel: (...arrived) => close({ status: 'cancelled', cancelledTurn }, arrived),
    interrupt: (...arrived) => close({ status: 'interrupted' }, arrived),
    leave: () =>
      inTurn(async () => {
        stopRenewing()
        // With 0 ms the lease runs out now.
        await store.renew(key, lease, 0)
      }),
    calibrate(given) {
      calibration = given
    },
  }
}

const asClosing = { isClosing: true }

function isSilent(message: MessageLike): boolean {
  const { role, text, calls, media, unknown } = parseMessage(message, 0)
  return role === 'assistant' && text.trim() === '' && calls.length === 0 && media === 0 && unknown === ''
}
