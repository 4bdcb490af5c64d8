import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { Calibration } from '../tokens/calibration.ts'
import { estimate } from '../tokens/estimate.ts'
import type { ChatOptions } from './chat-options.ts'
import { listSession } from './list-session.ts'
import { replayTurn } from './replay-turn.ts'
import { createReply, type Reply } from './reply.ts'
import { runTurn } from './run-turn.ts'
import { setUpTurn } from './set-up-turn.ts'
import { threadSession } from './thread-session.ts'
import type { Tool } from './tool.ts'

export interface SendOptions {
  /** Default `chat`. */
  readonly conversation?: string
  readonly actor?: string
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
  send(input: string | MessageLike, options?: SendOptions): Reply
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
 * for await (const part of chat.send('Hello!')) if (part.type === 'text-delta') process.stdout.write(part.text)
 */
export function createChat(options: ChatOptions): Chat {
  const { history, tools = [], state = [], count = history?.count ?? estimate() } = options
  checkTools(tools)
  const calibrations = new Map<string, Calibration>()

  return {
    send(input, { conversation = 'chat', actor, branch, key, signal, ...request } = {}) {
      if (!history) throw new InvalidOptionError('history', 'send needs one; respond works without')
      const message = typeof input === 'string' ? { role: 'user', content: input } : input
      const thread = history.thread(conversation, { ...(actor && { actor }), ...(branch && { branch }) })
      return createReply(async function* () {
        const begun = await thread.begin(message, key === undefined ? {} : { key })
        if (begun.kind === 'replayed') return yield* replayTurn(begun)
        const { turn } = begun
        const { projectId } = request
        const session = threadSession({ history, thread, turn, states: state, projectId })
        return yield* runTurn(session, signal, () => setUpTurn(options, session, { ...request, signal }))
      })
    },
    respond(messages, { signal, ...request } = {}) {
      return createReply(async function* () {
        const session = listSession(messages, { count, added: [], calibrations })
        return yield* runTurn(session, signal, () => setUpTurn(options, session, { ...request, signal }))
      })
    },
  }
}

function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) throw new InvalidOptionError('tools', `two of them are called "${name}"`)
    names.add(name)
  }
}
