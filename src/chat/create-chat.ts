import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import { showValue } from '../log/show-value.ts'
import { estimate } from '../tokens/estimate.ts'
import type { ChatOptions } from './chat-options.ts'
import type { ChatPart } from './chat-part.ts'
import { checkOptions } from './check-options.ts'
import { linkSignals } from './link-signals.ts'
import { listSession, type ModelMemory } from './list-session.ts'
import { replayTurn } from './replay-turn.ts'
import { createReply, neverBegun, type Outcome, type Reply } from './reply.ts'
import { runTurn, type TurnRun } from './run-turn.ts'
import { notesInReply, setUpTurn } from './set-up-turn.ts'
import { threadSession } from './thread-session.ts'

export interface SendOptions {
  /** Whose words these are, and on what: nobody is answered from another conversation. */
  readonly conversation: string
  /** Default `assistant`. */
  readonly actor?: string
  /** A branch that was forked. Default `main`. */
  readonly branch?: string
  /** The same key again gives the answer that was given. */
  readonly key?: string
  readonly signal?: AbortSignal
  /** For the request context of tools. */
  readonly projectId?: string
  readonly data?: unknown
}

export interface Chat {
  /** One whole turn in a conversation of the history. */
  send(input: string | MessageLike, options: SendOptions): Reply
  /** One whole turn on a conversation that the client sends whole: nothing is stored. */
  respond(
    messages: readonly MessageLike[],
    options?: Pick<SendOptions, 'signal' | 'projectId' | 'data'>,
  ): Reply
}

/**
 * The loop that every application needs: load, fit, call, stream, run tools, keep the note, save.
 *
 * @example
 * const chat = createChat({ model: reader(), history: createHistory({ store: memoryStore() }) })
 * for await (const part of chat.send('Hello!', { conversation: 'ada' }))
 *   if (part.type === 'text-delta') process.stdout.write(part.text)
 */
export function createChat(options: ChatOptions): Chat {
  checkOptions(options)
  const { history, state = [], cancelledTurn, count = history?.count ?? estimate() } = options
  const memory: ModelMemory = { calibrations: new Map(), reports: new Map() }

  return {
    send(input, given) {
      if (!history) throw new InvalidOptionError('history', 'send needs one; respond works without')
      const message = toUserMessage(input)
      const { conversation, actor, branch, key, signal, ...request } = given ?? noOptions
      const thread = history.thread(conversation, { actor, branch })
      const { projectId } = checkRequest(request)
      return cancellable(signal, async function* (outcome, signal) {
        const begun = await thread.begin(message, { key, cancelledTurn })
        if (begun.kind === 'replayed') return yield* replayTurn(begun, outcome, notesInReply(options))
        const { turn } = begun
        const added = outcome.messages
        const session = threadSession({ history, thread, turn, states: state, projectId, added })
        const setUp = () => setUpTurn(options, session, { ...request, signal })
        yield* runTurn({ session, outcome, signal, setUp })
      })
    },
    respond(messages, given) {
      checkMessages(messages)
      const { signal, ...request } = given ?? {}
      checkRequest(request)
      return cancellable(signal, async function* (outcome, signal) {
        let run: TurnRun | undefined
        const mostResultTokens = () => run?.mostResultTokens
        const added = outcome.messages
        const session = listSession(messages, { count, memory, added, cancelledTurn, mostResultTokens })
        const setUp = async () => {
          run = await setUpTurn(options, session, { ...request, signal })
          return run
        }
        yield* runTurn({ session, outcome, signal, setUp })
      })
    },
  }
}

/** From programs that are not checked by a compiler: the history says which one is missing. */
const noOptions = {} as SendOptions

function toUserMessage(input: string | MessageLike): MessageLike {
  const isMessage = typeof input === 'object' && input !== null && !Array.isArray(input)
  if (typeof input !== 'string' && !isMessage)
    throw new InvalidOptionError('input', `expected a text or a user message, got ${showValue(input)}`)
  const message = typeof input === 'string' ? { role: 'user', content: input } : input
  if (parseMessage(message, 0).role === 'user') return message
  throw new InvalidOptionError('input', `a turn begins with a user message, not with "${message.role}"`)
}

function checkMessages(messages: readonly MessageLike[]): void {
  if (!Array.isArray(messages))
    throw new InvalidOptionError('messages', `expected the list of all messages, got ${showValue(messages)}`)
  const seq = messages.findIndex(message => typeof message !== 'object' || message === null)
  if (seq >= 0) parseMessage(messages[seq], seq)
}

/** An empty one is a variable that was never set: said before anything is asked or written. */
function checkRequest<Request extends Pick<SendOptions, 'projectId'>>(request: Request): Request {
  if (request.projectId !== '') return request
  throw new InvalidOptionError(
    'projectId',
    'a name must not be empty: leave it out where there is no project',
  )
}

/** Both ways to cancel are one signal, which lasts as long as the turn. */
function cancellable(
  signal: AbortSignal | undefined,
  run: (outcome: Outcome, signal: AbortSignal) => AsyncGenerator<ChatPart, void>,
): Reply {
  return createReply(async function* (outcome, left) {
    const cancel = linkSignals(signal, left)
    try {
      if (!cancel.signal.aborted) return yield* run(outcome, cancel.signal)
      // Before it began: nothing is written.
      outcome.settle({ ...neverBegun, text: '', messages: [] })
      yield { type: 'end', ...neverBegun }
    } finally {
      cancel.unlink()
    }
  })
}
