import {
  type Calibration,
  type Message,
  type PromptLayout,
  readMessage,
} from '@throughline/core/messages'
import type { BeginTurn, Begun, Mark, NewEntry, StoredCall } from '@throughline/stores/store'
import { type CancelledTurn, closingFor, closingOf, type Ending, noReply } from './log/closing.ts'
import type { EntryOptions, SeenMessage, TurnMessage } from './log/logged-message.ts'
import { asSeen, isSeen, wholeOf } from './log/logged-message.ts'
import { createQueue } from './log/queue.ts'
import { checkBranch, type LogSource } from './log/read-log.ts'
import { breathe } from './log/rests.ts'

export interface CompleteOptions {
  /** What the model wrote for itself: logged after the reply, never shown. */
  readonly note?: string | undefined
}

/** A turn that is being answered. Its user message is stored; the rest is appended as it happens. */
export interface Turn {
  /** Its number in the branch, counted from 1. */
  readonly number: number
  /** The place that the next entry will have. */
  readonly next: number
  /** Aborted when the lease is lost: another writer has taken over, and this turn can write no more. */
  readonly signal: AbortSignal
  /** Appends messages, a round of tools, say. They are stored when this resolves: in one step, or 256 at a time. */
  append(...messages: readonly TurnMessage[]): Promise<void>
  /** Appends messages that contain their place: `make` is called when the place is known. */
  appendAt(make: (place: number) => readonly TurnMessage[]): Promise<void>
  /** Stores the last messages, the note and the end of the turn in one step. */
  complete(reply: TurnMessage | readonly TurnMessage[], options?: CompleteOptions): Promise<void>
  /** Ends the turn as failed, with an error code for programs: `model_busy`, say. */
  fail(code: string, ...arrived: readonly TurnMessage[]): Promise<void>
  /** Ends the turn as cancelled, and keeps what `arrived` of the answer. `fail` and `interrupt` do the same. */
  cancel(...arrived: readonly TurnMessage[]): Promise<void>
  /** Ends the turn as interrupted: nobody cancelled it, and it did not fail. */
  interrupt(...arrived: readonly TurnMessage[]): Promise<void>
  /** Leaves the turn open: the next writer closes or resumes it. What `arrived` is shown, and sent unless the answer is retried. */
  leave(...arrived: readonly TurnMessage[]): Promise<void>
  /** Logs how far our counts are from the provider's, with the next entry. */
  calibrate(calibration: Calibration): void
  /** Logs what was learned of the system prompt, with the next entry. */
  learn(learned: PromptLayout): void
  /** Stores what became of a call, with the next entries and in the same step. */
  keepCall(call: StoredCall): void
}

type EntryGroup = readonly [
  messages: readonly TurnMessage[],
  options?: { readonly isClosing: boolean },
]

export interface TurnSource extends Pick<LogSource, 'store' | 'key'> {
  readonly begun: Extract<Begun, { kind: 'begun' }>
  readonly leaseMs: number
  readonly mayDeferSync?: boolean | undefined
  readonly cancelledTurn?: CancelledTurn | undefined
  /** The messages of the turn so far. */
  readonly messages: readonly Message[]
  readonly newEntry: (
    message: TurnMessage,
    options?: Pick<EntryOptions, 'isClosing' | 'calibration' | 'learned'>,
  ) => NewEntry
}

export function createTurn(options: TurnSource): Turn {
  const { store, key, begun, mayDeferSync, cancelledTurn, messages, newEntry } = options
  const { lease } = begun
  const turnMessages = [...messages]
  const lost = new AbortController()
  const inTurn = createQueue()
  let { head } = begun
  let calibration: Calibration | undefined
  let learned: PromptLayout | undefined
  let call: StoredCall | undefined
  const stopRenewing = keepLease(options, error => lost.abort(error))

  /** Makes entries. The first one carries the calibration, and what was learned of the system prompt. */
  function toEntries(...groups: readonly EntryGroup[]): readonly NewEntry[] {
    let carried: object | undefined = { calibration, learned }
    return groups.flatMap(([messages, options]) =>
      messages.map(message => {
        const entry = newEntry(message, { ...options, ...carried })
        carried = undefined
        return entry
      }),
    )
  }

  /** Writes messages, very many of them in pieces: others write and are answered in between. */
  async function write(added: readonly TurnMessage[]): Promise<void> {
    for (let at = 0; at < added.length; at += messagesInRow) {
      if (at > 0) await breathe()
      await writePiece(added.slice(at, at + messagesInRow))
    }
  }

  async function writePiece(added: readonly TurnMessage[]): Promise<void> {
    const written = { calibration, learned }
    const marks = marksOf([[added]])
    const append = {
      lease,
      expectedHead: head,
      entries: toEntries([added]),
      call,
      marks,
      mayDeferSync,
    }
    head = (await untilKnown(() => store.append(key, append))).head
    // Unless a newer one came meanwhile.
    if (calibration === written.calibration) calibration = undefined
    if (learned === written.learned) learned = undefined
    if (call === append.call) call = undefined
    for (const one of added) turnMessages.push(read(one))
  }

  async function end(
    status: 'completed' | Ending['status'],
    groups: readonly EntryGroup[],
    error?: string,
  ) {
    try {
      const written = { entries: toEntries(...groups), call, marks: marksOf(groups) }
      const ended = { lease, expectedHead: head, ...written, status, error }
      head = (await untilKnown(() => store.end(key, ended))).head
    } finally {
      stopRenewing()
    }
  }

  function close(ending: Ending, arrived: readonly TurnMessage[]): Promise<void> {
    return inTurn(() => {
      const { results, arrived: kept, last } = closingFor(turnMessages, arrived, ending)
      return end(ending.status, [[results, asClosing], [kept], [last, asClosing]], ending.code)
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
      const shown = last.filter(message => !isSilent(read(message)))
      // An empty reply is not stored, but some message must stand where the answer was, with the data of the reply.
      const empty = last.find(message => !shown.includes(message))
      const silence = empty
        ? [{ ...(isSeen(empty) && { data: empty.data, marks: empty.marks }), message: noReply }]
        : []
      return inTurn(() => {
        // Where the changing lines stood matters only to the next call of the same turn.
        if (learned) learned = withoutLast(learned)
        return end('completed', [[shown], [silence, asClosing], [noted]])
      })
    },
    fail: (code, ...arrived) => close({ status: 'failed', code }, arrived),
    cancel: (...arrived) => close({ status: 'cancelled', cancelledTurn }, arrived),
    interrupt: (...arrived) => close({ status: 'interrupted' }, arrived),
    leave: (...arrived) =>
      inTurn(async () => {
        await write(arrived.map(asBroken))
        stopRenewing()
        // With 0 ms the lease runs out now.
        await store.renew(key, lease, 0)
      }),
    calibrate(latest) {
      calibration = latest
    },
    learn(layout) {
      learned = { ...learned, ...layout }
    },
    keepCall(latest) {
      call = latest
    },
  }
}

/** The most messages that are written in one step. More come only from a client that brings a long turn with it. */
const messagesInRow = 128

const asClosing = { isClosing: true }

function withoutLast({ last: _, ...rest }: PromptLayout): PromptLayout | undefined {
  return Object.keys(rest).length > 0 ? rest : undefined
}

/** The marks of messages that are written together, counted from the first of them. */
const marksOf = (groups: readonly EntryGroup[]): readonly Mark[] =>
  groups
    .flatMap(([messages]) => messages)
    .flatMap((message, at) =>
      isSeen(message) ? (message.marks ?? []).map(mark => ({ mark, at: at + 1 })) : [],
    )

const asBroken = (message: TurnMessage): SeenMessage => ({
  ...asSeen(message),
  isBroken: true,
})

const read = (message: TurnMessage): Message => readMessage(wholeOf(message), 0)

const isSilent = ({ role, text, calls, media, unknown }: Message): boolean =>
  role === 'assistant' && text.trim() === '' && calls.length === 0 && media === 0 && unknown === ''

/** The longest time that a turn is renewed: a forgotten turn must not block its thread for ever. */
const mostSilenceMs = 60 * 60 * 1000

/** Codes of errors after which the turn cannot be written to any more. */
const final: readonly unknown[] = [
  'lease_lost',
  'conversation_deleted',
  'no_conversation',
  'store_closed',
]

/** Renews a lease until the returned function is called. */
function keepLease({ store, key, begun, leaseMs }: TurnSource, onLost: (error: unknown) => void) {
  let left = Math.ceil(mostSilenceMs / leaseMs) * 3
  // Every third of the lease: two renewals may fail before it runs out.
  const timer = setInterval(() => {
    left -= 1
    if (left < 0) return stop()
    store.renew(key, begun.lease, leaseMs).catch(error => {
      if (!final.includes((error as { code?: unknown }).code)) return
      stop()
      onLost(error)
    })
  }, leaseMs / 3)
  timer.unref?.()
  const stop = () => clearInterval(timer)
  return stop
}

/** Begins a turn and closes one left open; again if the thread grew meanwhile: its writer may be slow. */
export function beginTurn(
  source: LogSource,
  turn: Omit<BeginTurn, 'closing' | 'expectedHead'>,
  toClosing: (message: SeenMessage) => NewEntry,
  after?: number,
): Promise<Begun> {
  const { store, key } = source
  return tryAgain('conflict', after === undefined ? 10 : 0, async () => {
    const head = await store.head(key)
    checkBranch(key, head)
    const left = head && (await closingOf(source, head))
    const expectedHead = after ?? head?.head ?? 0
    const { status, code: error } = left?.ending ?? {}
    const closing = status && { entries: left!.closing.map(toClosing), status, error }
    return untilKnown(() => store.begin(key, { ...turn, expectedHead, closing }))
  })
}

/** Repeats a write whose answer from the store got lost. The ids are the same, so the store does not write twice. */
export const untilKnown = <T>(write: () => Promise<T>) => tryAgain('outcome_unknown', 3, write)

/** Repeats work that fails with an error of this code, `most` times at the most. */
export async function tryAgain<T>(code: string, most: number, work: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown }).code !== code || failures >= most) throw error
    }
  }
}
