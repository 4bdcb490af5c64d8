import type { Context } from '@throughline/core/context'
import { estimate } from '@throughline/core/counters'
import {
  InvalidOptionError,
  type OptionNames,
  refuseUnknown,
  showValue,
} from '@throughline/core/errors'
import { isFields } from '@throughline/core/fields'
import { type MessageLike, parseMessage } from '@throughline/core/messages'
import { checkPins, type Hands, withPin } from '@throughline/history/hands'
import { checkPlace, checkUnreserved, type LoggedMessage } from '@throughline/history/log'
import type { Thread, ThreadOptions } from '@throughline/history/threads'
import { readMedia, type ToolSpec } from '@throughline/models/model'
import { turnOpen } from '@throughline/stores/errors'
import type { StoredTurn } from '@throughline/stores/store'
import { answerWithTools, type ChatTurn, toOffered } from './answer-with-tools.ts'
import { type ChatOptions, checkOption, readOptions } from './chat-options.ts'
import { createReply, type Reply, type ReplyWork, replayTurn } from './reply.ts'
import { nextContext } from './turn/ask/next-context.ts'
import { readThread, threadLog } from './turn/log/thread-log.ts'
import { listTurnLog, type ModelMemory, type TurnLog } from './turn/log/turn-log.ts'
import { runTurn } from './turn/run-turn.ts'
import { setUpAsking } from './turn/set-up-asking.ts'

/** Where in the history a message is answered, and what its tools get. */
export interface SendOptions {
  /** The conversation of the history to answer in. */
  readonly conversation: string
  /** Whose thread of the conversation. Default `assistant`. */
  readonly actor?: string | undefined
  /** A branch that `fork` made. Default `main`. */
  readonly branch?: string | undefined
  /** An idempotency key: the same key again gives the same answer, without asking the model. */
  readonly key?: string | undefined
  /** Marks of the message, such as your own id of it: stored with it, and found by `store.findMarks`. */
  readonly marks?: readonly string[] | undefined
  /** Cancels the turn. */
  readonly signal?: AbortSignal | undefined
  /** Goes into the request context of tools. */
  readonly projectId?: string | undefined
  /** For the request context of tools: anything that the application wants them to have. */
  readonly data?: unknown
}

/** Which message is edited, and where it stands. */
export interface EditOptions extends SendOptions {
  /** The place of the user message to edit: its `seq` in `display()`. */
  readonly at: number
}

/** Which turn is answered once more. */
export interface RegenerateOptions extends SendOptions {
  /** The place of any entry of the turn. Default: the last turn. */
  readonly at?: number | undefined
}

const sendNames: OptionNames<RegenerateOptions> = {
  conversation: 1,
  actor: 1,
  branch: 1,
  key: 1,
  marks: 1,
  signal: 1,
  projectId: 1,
  data: 1,
  at: 1,
}

/** Where in the history the context is made. */
export type ContextOptions = Pick<SendOptions, 'conversation' | 'actor' | 'branch' | 'signal'>

/** All that a model would be sent. */
export interface ChatContext extends Context {
  /** The tools that would be offered. */
  readonly tools: readonly ToolSpec[]
  /** The calibration: our counts, multiplied by it, are tokens of the model. */
  readonly factor: number
}

/** Answers with one model, in conversations of a history or of the client. */
export interface Chat {
  /** Answers a user message in a conversation of the history. */
  send(input: string | MessageLike, options: SendOptions): Reply
  /** Answers an edited user message on a new branch, named in the result. The old branch stays as it is. */
  edit(input: string | MessageLike, options: EditOptions): Reply
  /** Answers a turn once more on a new branch, named in the result. The old branch stays as it is. */
  regenerate(options: RegenerateOptions): Reply
  /** The context that would be sent now, for developers: notes are in it, and `dump` prints it. Asks nothing and stores nothing. */
  context(options: ContextOptions): Promise<ChatContext>
  /** Pins and hides messages of a thread. A pin that has no room in the model's window is refused: PinsTooLargeError. */
  hands(options: Pick<SendOptions, 'conversation' | 'actor' | 'branch'>): Hands
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
export function createChat(chatOptions: ChatOptions): Chat {
  const options = readOptions(chatOptions)
  const { history, state = [], cancelledTurn, count = history?.count ?? estimate() } = options
  const memory: ModelMemory = { calibrations: new Map(), reports: new Map() }

  return {
    send(input, sendOptions) {
      const message = userMessage(input)
      return turnOf(sendOptions, async thread => ({ thread, input: [message] }))
    },
    edit(input, editOptions) {
      const edited = userMessage(input)
      checkPlace(editOptions?.at)
      return turnOf(editOptions, thread =>
        forkTurn(thread, editOptions.at, editOptions.key, edited),
      )
    },
    regenerate(forkOptions) {
      if (forkOptions?.at !== undefined) checkPlace(forkOptions.at)
      return turnOf(forkOptions, thread => forkTurn(thread, forkOptions?.at, forkOptions?.key))
    },
    context: contextOptions => contextOf(contextOptions),
    hands(place) {
      const { thread } = threadOf(place)
      const { unpin, hide, unhide, hands } = thread
      return {
        unpin,
        hide,
        unhide,
        hands,
        async pin(seq) {
          const { receipt, factor } = await contextOf(place, seq)
          checkPins(receipt, factor)
          return thread.pin(seq)
        },
      }
    },
    respond(messages, respondOptions) {
      checkMessages(messages)
      const { signal, ...request } = respondOptions ?? {}
      checkRequest(request)
      return createReply(signal, work =>
        answer(listTurnLog(messages, count, memory, cancelledTurn), work, request),
      )
    },
  }

  /** `pin`: the place of a message, as if it were pinned. */
  async function contextOf(contextOptions: ContextOptions, pin?: number): Promise<ChatContext> {
    const { signal = new AbortController().signal, ...name } = contextOptions ?? noOptions
    const { history, thread } = threadOf(name)
    const asking = await setUpAsking(options, { signal, ...toOffered(options) })
    const log = readThread(history, thread)
    const pinned: typeof log = { ...log, context: fit => log.context(withPin(fit, pin!)) }
    const { context, room, tools } = await nextContext({
      ...asking,
      log: pin === undefined ? log : pinned,
    })
    return { ...context, tools, ...room }
  }

  /** The message that begins a turn. A message that cannot be sent must not be stored: every later one would fail. */
  function userMessage(input: string | MessageLike): MessageLike {
    checkOption(
      'input',
      typeof input === 'string' || isFields(input),
      'a text or a user message',
      input,
    )
    const message = typeof input === 'string' ? { role: 'user', content: input } : input
    if (parseMessage(message, 0).role !== 'user')
      throw new InvalidOptionError(
        'input',
        `a turn begins with a user message, not with "${message.role}"`,
      )
    if (options.model.files) readMedia(message, 0)
    return message
  }

  function threadOf({
    conversation,
    ...options
  }: Pick<SendOptions, 'conversation' | keyof ThreadOptions>) {
    if (!history)
      throw new InvalidOptionError(
        'history',
        'send, edit, regenerate and context need one: pass it to createChat, or cut the list before the message and respond to what is left',
      )
    checkUnreserved({ conversation, ...options })
    return { history, thread: history.thread(conversation, options) }
  }

  /** A turn of the history. `prepare` finds its messages and its branch when the reply is first read. */
  function turnOf(
    details: RegenerateOptions | undefined,
    prepare: (thread: Thread) => TurnStart,
  ): Reply {
    refuseUnknown(details, sendNames)
    const {
      conversation,
      actor,
      branch,
      key,
      marks = [],
      signal,
      at: _,
      ...request
    } = details ?? noOptions
    const { history, thread: named } = threadOf({ conversation, actor, branch })
    const { projectId } = checkRequest(request)
    return createReply(signal, async work => {
      const { thread, input } = await prepare(named)
      const begun = await thread.begin(input.length === 1 ? input[0]! : input, {
        key,
        cancelledTurn,
        marks: marks.map(mark => ({ mark, at: input.length })),
      })
      if (begun.kind === 'replayed') return replayTurn(begun, thread.key.branch, input.length, work)
      const { turn } = begun
      await answer(threadLog({ history, thread, turn, states: state, projectId }), work, request)
    })
  }

  function answer(log: TurnLog, work: ReplyWork, request: ChatTurn['request']): Promise<void> {
    log.onAdded(message => void work.added.push(message))
    return runTurn({
      ...work,
      log,
      answer: tally => answerWithTools(options, { ...work, log, tally, request }),
    })
  }
}

function checkMessages(messages: readonly MessageLike[]): void {
  checkOption('messages', Array.isArray(messages), 'the list of all messages', messages)
  const seq = messages.findIndex(message => typeof message !== 'object' || message === null)
  if (seq >= 0) parseMessage(messages[seq], seq)
}

/** Refuses an empty project id, which is probably a variable that was never set. */
function checkRequest<Request extends Pick<SendOptions, 'projectId'>>(request: Request): Request {
  if (request.projectId !== '') return request
  throw new InvalidOptionError(
    'projectId',
    'it must not be empty: leave it out if there is no project',
  )
}

/** For calls from JavaScript without options: the history then says what is missing. */
const noOptions = {} as RegenerateOptions

type TurnStart = ReturnType<typeof forkTurn>

/** Forks a thread before the turn of an entry, default the last turn. The same idempotency key uses the same branch. */
async function forkTurn(thread: Thread, at?: number, key?: string, edited?: MessageLike) {
  const status = await thread.status()
  if (status.state === 'open') throw turnOpen(thread.key, status.turn, status.expiresInMs)
  const { first, last } = findTurn(await thread.turns(), at)
  const entries = await thread.entries({ at: last, limit: last - first + 1 })
  const reply = entries.findIndex(({ message }) => message.role !== 'user')
  const inputs = reply < 0 ? entries : entries.slice(0, reply)
  if (edited && !inputs.some(({ seq }) => seq === at))
    throw new InvalidOptionError(
      'at',
      `there is no user message at place ${at}: take the seq of display()`,
    )
  const input = inputs.map(entry => (edited && entry.seq === at ? edited : asGiven(entry)))
  const branch = key === undefined ? {} : { branch: `${edited ? 'edit' : 'again'} ${key}` }
  return { thread: await thread.fork({ at: first - 1, ...branch }), input }
}

function findTurn(turns: readonly StoredTurn[], at: number | undefined): StoredTurn {
  const turn =
    at === undefined ? turns.at(-1) : turns.find(({ first, last }) => first <= at && at <= last)
  if (turn) return turn
  if (at === undefined) throw new InvalidOptionError('at', 'there is no turn to answer again')
  throw new InvalidOptionError(
    'at',
    `expected the place of an entry of a turn, got ${showValue(at)}`,
  )
}

/** A message without the time that the log adds when it is read. */
function asGiven({ message, time }: LoggedMessage): MessageLike {
  const { time: messageTime, ...rest } = message as MessageLike & { readonly time?: unknown }
  return messageTime === time ? (rest as MessageLike) : message
}
