import {
  type Cancels,
  onAbort,
  type TurnPart,
  type TurnResult,
  trimmedTokens,
  type WatchedReply,
} from '@throughline/chat/turn'
import { ThroughlineError } from '@throughline/core/errors'
import { toModelTokens } from '@throughline/core/tokens'
import type { AdapterFault } from '@throughline/models/dialects'
import type { Gate } from '../guard/create-gate.ts'
import type { Answered } from './answer.ts'
import type { Again, LogPlace } from './inquiry.ts'
import type { OtherWindow } from './wish-window.ts'

/** What became of a request. */
export interface Outcome {
  readonly place?: LogPlace | Again
  readonly answered?: Answered
  readonly fault?: AdapterFault
  /** The fault of the store because of which the log has not what was answered. */
  readonly unstored?: AdapterFault
  /** The tokens of what had to be sent that were cut, because it did not fit. */
  readonly trimmed?: number
  /** The prompt tokens that were the same as in the call before. */
  readonly reusable?: number
}

/** What became of a request, for logs and metrics: no texts. */
export interface Served extends Outcome {
  readonly requestId: string
  /** Where it came in: the name of an adapter, `ui-chat` or `api`. */
  readonly adapter: string
  readonly model?: string
  readonly upstream?: { readonly name: string; readonly kind: string }
  /** Where another window counts than the client asked for. */
  readonly otherWindow?: OtherWindow
  readonly ms: number
}

export type ReplyRunner = ReturnType<typeof createRunner>

export type ReplyRun = ReturnType<ReplyRunner['open']>

/** Runs the replies of a server, wherever they are asked for: how many at once, how one is cancelled, what is told of it. */
export function createRunner(gate: Gate, cancels: Cancels, onServed: (served: Served) => void) {
  return {
    /** Takes note of a request. It holds nothing yet. */
    open({ requestId, adapter }: Pick<Served, 'requestId' | 'adapter'>) {
      const started = performance.now()
      const controller = new AbortController()
      const abort = (reason: unknown) => controller.abort(reason)
      let held: (() => void)[] = []
      let model: string | undefined
      let otherWindow: OtherWindow | undefined
      let isTold = false

      /** Tells what became of the request. Only the first time counts. */
      function tell(outcome: Outcome): void {
        if (isTold) return
        isTold = true
        onServed({
          requestId,
          adapter,
          ms: performance.now() - started,
          model,
          otherWindow,
          ...outcome,
        })
      }

      /** Gives back all that it holds; may be called again without harm. */
      function over(): void {
        for (const release of held) release()
        held = []
      }

      return {
        /** Aborted when the client has left, or when the reply was cancelled. */
        signal: controller.signal,
        abort,
        asks(name: string): void {
          model = name
        },
        getsWindow(other: OtherWindow | undefined): void {
          otherWindow = other
        },
        /**
         * Takes a place among the replies that are written at once, or throws BusyError. `left`: aborted when the client has left;
         * absent if the reply goes on then. Read it after the body: before, it would make Node stream the body.
         */
        enter(left?: AbortSignal): void {
          held.push(gate.enter())
          if (left?.aborted) abort(left.reason)
          else if (left) held.push(onAbort(left, () => abort(left.reason)))
        },
        /** From now on, to cancel what is answered in this thread cancels this reply. */
        answersIn: (thread: WatchedReply) =>
          void held.push(cancels.watch(thread, () => abort(cancelled()))),
        holds: (release: () => void) => void held.push(release),
        tell,
        /** The parts of a turn. Tells how the turn ended, and is over when no more parts come. */
        async *follow(parts: AsyncIterable<TurnPart>): AsyncGenerator<TurnPart> {
          let error: TurnResult['error']
          let trimmed = 0
          try {
            for await (const part of parts) {
              if (part.type === 'error') error = part.error
              if (part.type === 'context')
                trimmed = toModelTokens(trimmedTokens(part.receipt), part.factor)
              if (part.type === 'end')
                tell({ answered: { result: { ...part, text: '', messages: [], error } }, trimmed })
              yield part
            }
          } finally {
            over()
          }
        },
        over,
      }
    },
  }
}

const cancelled = () => new ThroughlineError('reply_cancelled', 'This reply was cancelled.')
