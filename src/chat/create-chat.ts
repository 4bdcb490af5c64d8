import type { Thread } from '../history/thread.ts'
import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import { showValue } from '../log/show-value.ts'
import { estimate } from '../tokens/estimate.ts'
import { listLog, type ModelMemory, notesInReply, runTurn, type TurnLog, threadLog } from '../turn/index.ts'
import { answerWithTools, type ToAnswer } from './answer-with-tools.ts'
import type { ChatOptions } from './chat-options.ts'
import { checkOptions } from './check-options.ts'
import { forkTurn, type TurnStart } from './fork-turn.ts'
import { replayTurn } from './replay-turn.ts'
import { createReply, type Reply, type ReplyWork } from './reply.ts'
import { withHistorySettings } from './with-history-settings.ts'

export interface SendOptions {
  /** The conversation of the history to answer in. */
  readonly conversation: string
  /** Default `assistant`. */
  readonly actor?: string
  /** A branch that `fork` made. Default `main`. */
  readonly branch?: string
  /** An idempotency key: the same key again gives the same answer, without asking the model. */
  readonly key?: string
  readonly signal?: AbortSignal
  /** Goes into the request context of tools. */
  readonly projectId?: string
  readonly data?: unknown
}

export interface EditOptions extends SendOptions {
  /** The place of the user message to edit: its `seq` in `display()`. */
  readonly at: number
}

export interface RegenerateOptions extends SendOptions {
  /** The place of any entry of the turn. Default: the last turn. */
  readonly at?: number
}

export interface Chat {
  /** Answers a user message in a conversation of the history. */
  send(input: string | MessageLike, options: SendOptions): Reply
  /** Answers an edited user message on a new branch, named in the result. The old branch stays as it is. */
  edit(input: string | MessageLike, options: EditOptions): Reply
  /** Answers a turn once more on a new branch, named in the result. The old branch stays as it is. */
  regenerate(options: RegenerateOptions): Reply
  /** Answers a conversation that the client sends in full. Nothing is stored. */
  respond(
    messages: readonly MessageLike[],
    options?: Pick<SendOptions, 'signal' | 'projectId' | 'data'>,
  ): Reply
}

/**
 * Makes a chat, which answers turns: load, fit, call the model, stream, run tools, keep the note, save.
 *
 * @example
 * const chat = createChat({ model: reader(), history: createHistory({ store: memoryStore() }) })
 * for await (const part of chat.send('Hello!', { conversation: 'ada' }))
 *   if (part.type === 'text-delta') process.stdout.write(part.text)
 */
export function createChat(given: ChatOptions): Chat {
  checkOptions(given)
  const options = withHistorySettings(given)
  const { history, state = [], cancelledTurn, count = history?.count ?? estimate() } = options
  const memory: ModelMemory = { calibrations: new Map(), reports: new Map() }

  return {
    send(input, given) {
      const message = toUserMessage(input)
      return turnOf(given, async thread => ({ thread, input: [message] }))
    },
    edit(input, given) {
      if (!history) throw noBranches()
      const edited = toUserMessage(input)
      if (!Number.isSafeInteger(given?.at)) throw noPlace(given?.at)
      return turnOf(given, thread => forkTurn(thread, { at: given.at, edited, key: given.key }))
    },
    regenerate(given) {
      if (!history) throw noBranches()
      if (given?.at !== undefined && !Number.isSafeInteger(given.at)) throw noPlace(given.at)
      return turnOf(given, thread => forkTurn(thread, { at: given?.at, key: given?.key }))
    },
    respond(messages, given) {
      checkMessages(messages)
      const { signal, ...request } = given ?? {}
      checkRequest(request)
      return createReply(signal, work =>
        answer(listLog(messages, { count, memory, cancelledTurn }), work, request),
      )
    },
  }

  /** A turn of the history. `prepare` finds its messages and its branch when the reply is first read. */
  function turnOf(given: SendOptions | undefined, prepare: (thread: Thread) => Promise<TurnStart>): Reply {
    if (!history)
      throw new InvalidOptionError('history', 'send, edit and regenerate need one: pass it to createChat')
    const { conversation, actor, branch, key, signal, ...request } = given ?? noOptions
    const named = history.thread(conversation, { actor, branch })
    const { projectId } = checkRequest(request)
    return createReply(signal, async work => {
      const { thread, input } = await prepare(named)
      const begun = await thread.begin(input.length === 1 ? input[0]! : input, { key, cancelledTurn })
      if (begun.kind === 'replayed') {
        const place = { branch: thread.key.branch, asked: input.length }
        return replayTurn(begun, place, work, notesInReply(options))
      }
      const { turn } = begun
      await answer(threadLog({ history, thread, turn, states: state, projectId }), work, request)
    })
  }

  function answer(log: TurnLog, work: ReplyWork, request: ToAnswer['request']): Promise<void> {
    log.onAdded(message => void work.added.push(message))
    return runTurn({
      ...work,
      log,
      answer: tally => answerWithTools(options, { ...work, log, tally, request }),
    })
  }
}

const noBranches = () =>
  new InvalidOptionError(
    'history',
    'without one there are no branches: cut the list before the message, and respond to what is left',
  )

const noPlace = (at: unknown) =>
  new InvalidOptionError('at', `expected the place of an entry, such as 12, got ${showValue(at)}`)

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

/** Refuses an empty project id, which is probably a variable that was never set. */
function checkRequest<Request extends Pick<SendOptions, 'projectId'>>(request: Request): Request {
  if (request.projectId !== '') return request
  throw new InvalidOptionError('projectId', 'it must not be empty: leave it out if there is no project')
}

/** For calls from JavaScript without options: the history then says what is missing. */
const noOptions = {} as SendOptions
