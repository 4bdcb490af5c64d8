import type { MessageLike } from '../log/message.ts'
import { type Asking, askModel } from './ask-model.ts'
import { emptyReply, type ModelReply } from './call-model.ts'
import type { ChatPart, ChatResult, ChatStatus } from './chat-part.ts'
import { closeTurn } from './close-turn.ts'
import { endFailed, TooManyRoundsError } from './end-failed.ts'
import { takeNoteCalls } from './note-calls.ts'
import { addUsage, arrivedOf, createProgress, type Progress, textOf, toMessage, toSeen } from './progress.ts'
import type { Outcome } from './reply.ts'
import { runTools, type ToolsRun } from './run-tools.ts'
import type { Session } from './session.ts'

export interface TurnRun extends Omit<Asking, 'onReply'>, Omit<ToolsRun, 'onMessage' | 'inRequest'> {
  /** The model is asked at most so often. */
  readonly maxRounds: number
  /** Whether the model writes its notes with a tool. */
  readonly hasNoteTool: boolean
  /** Reads what tools may ask for: only when there is a tool to run. */
  readonly openRequest: () => Promise<TurnRequestScope>
}

/** The request context of a turn. */
export interface TurnRequestScope extends Pick<ToolsRun, 'inRequest'> {
  /** Tells the tools what was said and done since. */
  readonly tell: (message: MessageLike) => void
}

export interface TurnStart {
  readonly session: Session
  readonly outcome: Outcome
  readonly signal: AbortSignal | undefined
  readonly setUp: () => Promise<TurnRun>
}

/** One whole turn: the model is asked and its tools are run until it has answered. Its end is in the log before it is told. */
export async function* runTurn({
  session,
  outcome,
  signal,
  setUp,
}: TurnStart): AsyncGenerator<ChatPart, void> {
  const progress = createProgress()
  let ended: Awaited<ReturnType<typeof endFailed>> | { status: 'completed'; error?: undefined } | undefined
  try {
    yield* answer(await setUp(), progress)
    ended = { status: 'completed' }
  } catch (error) {
    ended = await endFailed(session, signal, progress, error)
  } finally {
    // Whoever read the parts has left.
    if (!ended) {
      await closeTurn(arrivedOf(progress), session.cancel).catch(() => undefined)
      outcome.settle(resultOf('cancelled'))
    }
  }
  const { status, error } = ended
  const result = resultOf(status, error)
  outcome.settle(result)
  const note = progress.reply.note ?? progress.note
  if (note !== undefined) yield { type: 'note', text: note }
  if (error) yield { type: 'error', error }
  const { text: _, messages: __, error: ___, ...end } = result
  yield { type: 'end', ...end }

  function resultOf(status: ChatStatus, error?: Error): ChatResult {
    const { rounds, usage } = progress
    const turn = session.turn === undefined ? {} : { turn: session.turn }
    const added = { text: textOf(progress), messages: [...outcome.messages] }
    return { status, ...turn, rounds, usage, ...added, ...(error ? { error } : {}) }
  }
}

async function* answer(run: TurnRun, progress: Progress): AsyncGenerator<ChatPart, void> {
  const { session, tools, maxRounds, hasNoteTool } = run
  let request: TurnRequestScope | undefined
  while (progress.rounds < maxRounds) {
    const reply = yield* askOnce(run, progress)
    const { note, answers, others } = takeNoteCalls(reply, hasNoteTool)
    progress.note = note ?? reply.note ?? progress.note
    const message = toMessage(reply)
    const said = [toSeen(message), ...answers]
    // A note beside the answer is no reason to ask again: the model would have to say it twice.
    if (others.length === 0 && (reply.calls.length === 0 || reply.text.trim() !== ''))
      return session.complete(said, progress.note)
    await session.append(() => said)
    progress.reply = emptyReply()
    for (const one of [message, ...answers]) request?.tell(one)
    if (others.length > 0) {
      request ??= await run.openRequest()
      yield* runTools(others, { ...run, inRequest: request.inRequest, onMessage: request.tell })
    }
    // The model is asked again only if none of the tools that it called ends the turn.
    if (others.some(({ name }) => tools.get(name)?.endsTurn)) return session.complete([], progress.note)
  }
  throw new TooManyRoundsError(maxRounds)
}

async function* askOnce(run: TurnRun, progress: Progress): AsyncGenerator<ChatPart, ModelReply> {
  const reply = yield* askModel({
    ...run,
    onReply: arriving => {
      progress.reply = arriving
      progress.replies.push(arriving)
    },
  })
  progress.rounds += 1
  progress.usage = addUsage(progress.usage, reply.usage)
  if (reply.reason === 'length')
    yield { type: 'warning', code: 'reply_cut', message: 'The reply was cut: it reached its longest.' }
  if (reply.text.trim() === '' && reply.calls.length === 0)
    yield { type: 'warning', code: 'empty_reply', message: 'The model answered nothing that a user may see.' }
  return reply
}
