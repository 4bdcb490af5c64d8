import type { History, Thread } from '@throughline/history'
import { LeaseError } from '@throughline/stores/errors'
import type { ThreadKey } from '@throughline/stores/store'
import { partsOf } from '../reply.ts'
import type { Cancels } from '../turn/cancels.ts'
import type { TurnPart } from '../turn/reply.ts'
import { oneByOne } from '../turn/wait/one-by-one.ts'
import { withResolvers } from '../turn/wait/with-resolvers.ts'
import { within } from '../turn/wait/within.ts'
import type { UIRequest } from './read-ui-request.ts'
import { createRunningReplies, type ReplyTimes, type RunningReply } from './running-replies.ts'
import type { UIMessageStreamOptions } from './to-ui-message-stream.ts'
import { lastEvent, toChunks, toEvent, uiMessageStreamHeaders } from './to-ui-message-stream.ts'
import { toUIMessages } from './to-ui-messages.ts'
import type { UILoadedMessage } from './ui-chunk.ts'
import {
  type AnsweredTurn,
  findUIPlace,
  markReply,
  marksOf,
  newestBranch,
  type UIPlace,
} from './ui-place.ts'

export interface UIAnswer {
  readonly history: History
  readonly uiRequest: UIRequest
  readonly signal: AbortSignal
  /** Begins the turn, once its place is found. Not the reply itself, which would be awaited to its end. */
  readonly start: (begin: {
    readonly thread: ThreadKey
    /** Marks of the user's message: stored with it, so that the client's id of it is known. */
    readonly marks: readonly string[]
    readonly signal: AbortSignal
  }) => Promise<{ readonly parts: AsyncIterable<TurnPart> }>
  readonly stream?: UIMessageStreamOptions
  /** Headers of this stream, which say where it belongs. */
  readonly headers?: (thread: ThreadKey) => Readonly<Record<string, string>>
}

export interface UIRepliesOptions extends ReplyTimes {
  readonly cancels: Cancels
  readonly newId: () => string
  /** Whether the messages of a conversation are told without what the model thinks. Default false. */
  readonly hidesThoughts?: boolean
  /** Headers of every stream, besides its own. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The replies to `useChat` that this process gives. A reply goes on when its client has left, and can be read again. */
export function createUIReplies(options: UIRepliesOptions) {
  const { cancels, newId, hidesThoughts = false } = options
  const replies = createRunningReplies(options)
  const inOrder = oneByOne()
  const requestOf = new WeakMap<RunningReply, UIRequest>()

  const streamed = (
    reply: RunningReply,
    leave: () => void,
    headers?: UIRepliesOptions['headers'],
  ) =>
    new Response(reply.read(leave), {
      headers: { ...uiMessageStreamHeaders, ...options.headers, ...headers },
    })

  return {
    /** Answers a request. Resolves when the model has begun: a failure before that is thrown, a later one is in the stream. */
    async answer(uiAnswer: UIAnswer): Promise<Response> {
      const { history, uiRequest, signal, headers } = uiAnswer
      const name = nameOf(history, uiRequest.conversation)
      const next = await inOrder(name)
      const { reply, thread, begun } = await take(name, uiAnswer).finally(next)
      const leave = reply.join()
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      // The answer begins when the model does: before that, a failure has its status.
      const first = await begun
      if (first?.type === 'error') {
        leave()
        throw first.error
      }
      return streamed(reply, leave, thread && headers?.(thread))
    },
    /** The running reply of a conversation from its beginning; 204 if this process gives none. */
    resume(history: History, conversation: string): Response {
      const running = replies.get(nameOf(history, conversation))
      return running ? streamed(running, running.join()) : nothing()
    },
    async cancel(history: History, conversation: string): Promise<Response> {
      const running = replies.get(nameOf(history, conversation))
      await running?.cancel()
      if (!running) await cancels.cancel(history, { conversation })
      return nothing()
    },
    /** The messages, as `useChat` begins with them. Undefined if there is no such conversation, or no such branch of it. */
    async messages(history: History, conversation: string, named?: string) {
      const branch = named ?? (await newestBranch(history, conversation))
      const thread = history.thread(conversation, { branch })
      if (!(await history.store.head(thread.key))) return undefined
      return { conversation, branch, messages: await messagesOf(thread) }
    },
    idle: replies.idle,
  }

  async function messagesOf(thread: Thread, from = 1): Promise<readonly UILoadedMessage[]> {
    const metadata = { branch: thread.key.branch, usage: {} }
    return toUIMessages((await thread.display()).filter(({ seq }) => seq >= from)).map(message => {
      if (message.role === 'user') return message
      const parts = message.parts.filter(({ type }) => !hidesThoughts || type !== 'reasoning')
      return { ...message, parts, metadata }
    })
  }

  /** The reply to a request: the one that is running, if the client or a proxy has sent the same message twice. */
  async function take(name: string, uiAnswer: UIAnswer) {
    const { history, uiRequest } = uiAnswer
    const running = replies.get(name)
    if (running && isSame(requestOf.get(running), uiRequest)) return { reply: running }
    await untilFree(running)
    const place = await findUIPlace(history, uiRequest, newId)
    const { events, begun, cancel } = await begin(uiAnswer, place)
    const reply = replies.start(name, events, cancel)
    requestOf.set(reply, uiRequest)
    return { reply, thread: place.thread, begun }
  }

  /** Begins a turn, or goes on with one. `begun`: the first part that shows how it goes. */
  async function begin({ history, uiRequest, start, stream }: UIAnswer, place: UIPlace) {
    const { thread, answered, missedFrom } = place
    const { conversation, isResults, last } = uiRequest
    const missed =
      missedFrom === undefined
        ? []
        : await messagesOf(history.thread(conversation, thread), missedFrom)
    const stop = new AbortController()
    const marks = isResults ? [] : await marksOf(conversation, last.id)
    const started = answered
      ? { parts: replay(history, thread, answered) }
      : await start({ thread, marks, signal: stop.signal })
    // The client goes on with the message whose tools it has run.
    const messageId = (isResults ? last.id : undefined) ?? newId()
    const { promise: begun, resolve: tell } = withResolvers<TurnPart | undefined>()
    const done = cancels.watch(thread, () => stop.abort())

    async function* parts(): AsyncGenerator<TurnPart> {
      try {
        for await (const part of started.parts) {
          // Before the client knows that the message is whole, it can be found. One without a mark is taken for the last one.
          if (part.type === 'end' && part.turn !== undefined)
            await markReply(history, thread, messageId, answered?.turn.last).catch(() => undefined)
          if (part.type !== 'context' && part.type !== 'warning') tell(part)
          yield part
        }
      } finally {
        tell(undefined)
      }
    }

    /** A chunk that cannot be written ends the stream with an error, and stops the model. */
    async function* events(): AsyncGenerator<string> {
      try {
        if (missed.length > 0)
          yield toEvent({ type: 'data-missed', data: { messages: missed }, transient: true })
        for await (const chunk of toChunks(parts(), { ...stream, messageId })) yield toEvent(chunk)
      } catch (error) {
        stop.abort(error)
        yield toEvent({ type: 'error', errorText: 'The reply could not be written.' })
      } finally {
        done()
        tell(undefined)
      }
      yield lastEvent
    }

    return { events: events(), begun, cancel: () => stop.abort() }
  }
}

const nothing = () => new Response(null, { status: 204 })

/** A running reply is read and stopped only by its own user. */
const nameOf = ({ tenant, person }: History, conversation: string) =>
  JSON.stringify([tenant, person, conversation])

const isSame = (
  running: UIRequest | undefined,
  { last, messages, isAgain, isResults }: UIRequest,
) =>
  !isAgain &&
  !isResults &&
  last.id !== undefined &&
  running?.last.id === last.id &&
  JSON.stringify(running.messages) === JSON.stringify(messages)

/** How long a message waits for a client that has stopped the reply before: it is gone as soon as its connection is closed. */
const shortPause = 2000

/** Waits until the running reply has no readers, and cancels it: a user who stops a reply writes the next message at once. */
async function untilFree(running: RunningReply | undefined): Promise<void> {
  if (!running) return
  await within(running.whenLeft(), shortPause)
  if (running.readers > 0)
    throw new LeaseError(
      'turn_open',
      'A reply in this conversation is still being read: stop it, or wait for it.',
    )
  await running.cancel()
}

/** The answer that a message got before. */
async function* replay(
  history: History,
  { conversation, actor, branch }: ThreadKey,
  { turn: { turn, last }, at }: AnsweredTurn,
): AsyncGenerator<TurnPart> {
  const thread = history.thread(conversation, { actor, branch })
  const shown = await thread.display({ at: last, limit: last - at })
  yield* partsOf(shown.filter(({ seq }) => seq > at))
  yield { type: 'end', status: 'completed', turn, branch, rounds: 0, usage: {} }
}
