import {
  type Asking,
  answerTurn,
  keepResult,
  type ModelReply,
  readingTool,
  readMessageSpec,
  runTool,
  runTurn,
  setUpAsking,
  type TurnOptions,
  type TurnPart,
  type TurnResult,
  threadLog,
  writesNote,
} from '@throughline/chat/turn'
import type { SystemPromptPlace } from '@throughline/core/context'
import type { MessageLike } from '@throughline/core/messages'
import type { Model, ReplyCall } from '@throughline/models/model'
import { isStoreFault } from '@throughline/stores/errors'
import type { OpenCache } from '../cache/create-cache.ts'
import { callMark } from '../identity/chain.ts'
import { ownResult } from '../identity/item.ts'
import { agentMarks } from './agent-place.ts'
import type { Inquiry } from './inquiry.ts'
import { refuseStandIn } from './refuse-stand-in.ts'
import type { OpenedTurn } from './take-place.ts'

/** The options of a turn that a server sets, whatever the request says. */
const turnOptionNames = [
  'window',
  'reserve',
  'overflow',
  'maxToolTokens',
  'notes',
  'policy',
  'retries',
  'stallMs',
  'maxReply',
] as const
export const answerOptionNames = [
  ...turnOptionNames,
  'steadyPrompt',
  'readMessages',
  'shadow',
] as const

export interface AnswerOptions extends Pick<TurnOptions, (typeof turnOptionNames)[number]> {
  /**
   * Whether lines of a client's system prompt that were seen to change stand just before the newest message, so that its beginning
   * stays the same. `auto`: only in a prompt that must be cut, for a model on this machine or network, and only lines that differ
   * in nothing but numbers, dates and times. `on`: any lines, always; `as user`: so, as text of the user. Default `auto`.
   */
  readonly steadyPrompt?: SteadyPrompt
  /** Whether the model is offered a tool that reads any message by its number, which the server answers itself. Default false. */
  readonly readMessages?: boolean
  /** Whether requests are sent as they came: what would have been sent is only logged. Default false. */
  readonly shadow?: boolean
}

export interface Answered {
  readonly result: TurnResult
  /** Whether the model was asked. */
  readonly isAsked?: boolean
  /** The reply as the client gets it; absent if none came to its end. */
  readonly reply?: ModelReply
  /** A reply that came to its end, and that the store did not take. */
  readonly unstored?: ModelReply
}

export interface AnswerParts {
  readonly model: Model
  /** What the model's server keeps of the conversation. */
  readonly cached: OpenCache
  readonly options: AnswerOptions
  readonly emit: (part: TurnPart) => void | Promise<void>
  readonly dataOf?: (reply: ModelReply) => object | undefined
  readonly onAsking?: (asking: Asking) => void
  /** The marks by which the reply is found again. */
  readonly marksOf?: () => readonly string[]
  /** The messages that are sent in place of what is fitted. */
  readonly passed?: readonly MessageLike[] | undefined
}

/** Asks the model once, and logs its reply. A reply with calls leaves the turn open for the results of the client's tools. */
export async function answer(
  inquiry: Inquiry,
  { thread, turn, logged, rest }: OpenedTurn,
  { model, cached, options, emit: tell, onAsking, dataOf, marksOf, passed }: AnswerParts,
): Promise<Answered> {
  const { request, signal, keyId } = inquiry
  const { history } = inquiry.log
  const log = threadLog({ history, thread, turn, turnMessages: logged })
  let result: TurnResult | undefined
  let reply: ModelReply | undefined
  let arrived: ModelReply | undefined
  let isAsked = false
  const steered = cached.steer(model)
  const watched: Model = {
    ...steered,
    async *stream(call) {
      isAsked = true
      for await (const part of steered.stream(call)) {
        if (part.type === 'tool-call') refuseStandIn(part, call.messages)
        yield part
      }
    },
  }
  const emit = (part: TurnPart) => {
    cached.see(part)
    return tell(part)
  }
  await runTurn({
    log,
    emit,
    signal,
    added: [],
    mayComeAgain: true,
    settle(settled) {
      result = settled
    },
    async answer(tally) {
      if (rest.length > 0) await log.append(() => rest)
      for (const call of log.progress.waiting) await keepResult(log, call, noResult)
      const { system, settings, tools, marksCache } = request
      // A prompt that its client marked for caching is the client's own.
      const systemPrompt = marksCache ? 'as sent' : promptPlace(options, model.isLocal)
      // The model may not read messages where its client has a tool of that name.
      const mayRead =
        options.readMessages && !tools.some(({ name }) => name === readMessageSpec.name)
      const specs = mayRead ? [...tools, readMessageSpec] : tools
      const place = { log, emit, signal, specs, replies: 'streamed', tally, passed } as const
      let asking: Asking
      let asks = 0
      const reading = readingTool(readMessageSpec, log, () => asking.mostResultTokens)
      const ownTools = new Map([[reading.name, reading]])
      const setUp = async () => {
        asking = await setUpAsking(
          { ...options, model: watched, settings, system, systemPrompt },
          place,
        )
        // What looks like a note is the client's to read.
        if (passed) asking = { ...asking, notes: undefined }
        cached.asks(asking)
        onAsking?.(asking)
        return asking
      }
      return answerTurn(
        { log, signal, setUp },
        {
          // A reply that only wrote a note, or only read, left nothing for the client to do.
          isOver: () => asks > (specs === tools ? mostNoteRounds : mostReadRounds),
          async runCalls(waiting) {
            const reads = specs === tools ? [] : waiting.filter(call => call.name === reading.name)
            for (const call of reads) {
              const result = await runTool(call, {
                tools: ownTools,
                signal,
                timeoutMs: 60_000,
                inRequest: run => run(),
              })
              await keepResult(log, call, { ...result, data: ownResult })
            }
            return reads.length > 0
          },
          async beforeCall() {
            asks += 1
            reply = arrived = undefined
            return true
          },
          dataOf: modelReply => dataOf?.(withoutOwn(modelReply, asking)),
          marksOf: ({ calls }) => [
            ...(marksOf?.() ?? []),
            ...agentMarks(keyId, calls),
            ...calls.slice(0, mostMarked).map(({ id }) => callMark(keyId, id)),
          ],
          async onReply(modelReply) {
            arrived = withoutOwn(modelReply, asking)
          },
          async onKept(kept) {
            reply = withoutOwn(kept, asking)
          },
        },
      )
    },
  })
  const isLost = !reply && isStoreFault(result!.error) && arrived && !isEmpty(arrived)
  return { result: result!, isAsked, reply, ...(isLost && { unstored: arrived }) }
}

export type SteadyPrompt = 'auto' | 'on' | 'as user' | 'off'

/** Where the changing lines of a client's system prompt stand. */
export function promptPlace(
  { steadyPrompt = 'auto' }: AnswerOptions,
  isLocal = false,
): SystemPromptPlace {
  const places = {
    auto: isLocal ? 'when cut' : 'as sent',
    on: 'stable',
    'as user': 'as user',
    off: 'as sent',
  } as const
  return places[steadyPrompt]
}

/** Does what a turn needs before it can be answered. If that fails, the turn is left, so that it blocks no later request. */
export async function orLeave<Result>(
  { turn }: OpenedTurn,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await turn.leave().catch(() => undefined)
    throw error
  }
}

/** Of a reply with more calls, clients are known by the first ones. */
const mostMarked = 8

/** A model that goes on writing nothing but notes, or reading, is not asked again for ever. */
const mostNoteRounds = 3
const mostReadRounds = 8

/** A reply without the calls that write a note or read a message: these are ours, and nothing for a client to see or to run. */
function withoutOwn(reply: ModelReply, asking: Asking): ModelReply {
  const reads = asking.specs.includes(readMessageSpec)
  const isOwn = (call: ReplyCall) =>
    writesNote(call, asking) || (reads && call.name === readMessageSpec.name)
  const calls = reply.calls.filter(call => !isOwn(call))
  if (calls.length === reply.calls.length) return reply
  const reason = calls.length === 0 && reply.reason === 'tool-calls' ? 'stop' : reply.reason
  return { ...reply, calls, reason }
}

/** Whether there is nothing in it for a client. */
const isEmpty = ({ text, thinking, calls }: ModelReply) =>
  text === '' && thinking === '' && calls.length === 0

const noResult = { text: 'Error: the client gave no result', isError: true }
