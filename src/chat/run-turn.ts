import type { MessageLike } from '../log/message.ts'
import { type Asking, askModel } from './ask-model.ts'
import { emptyReply, type ModelReply } from './call-model.ts'
import type { ChatPart, ChatResult, ChatStatus } from './chat-part.ts'
import { endFailed, TooManyRoundsError } from './end-failed.ts'
import { takeNoteCalls } from './note-calls.ts'
import { addUsage, arrivedOf, createProgress, type Progress, toMessage, toSeen } from './progress.ts'
import { runTools, type ToolsRun } from './run-tools.ts'
import type { Session } from './session.ts'

export interface TurnRun extends Omit<Asking, 'onReply'>, Omit<ToolsRun, 'onMessage' | 'inRequest'> {
  /** The model is asked at most so often. */
  readonly maxRounds: number
  /** Reads what tools may ask for: only when there is a tool to run. */
  readonly openRequest: () => Promise<TurnRequestScope>
}

/** The request context of a turn. */
export interface TurnRequestScope extends Pick<ToolsRun, 'inRequest'> {
  /** Tells the tools what was said and done since. */
  readonly tell: (message: MessageLike) => void
}

/** One whole turn: the model is asked and its tools are run until it has answered. Its end is in the log before it is told. */
export async function* runTurn(
  session: Session,
  signal: AbortSignal | undefined,
  setUp: () => Promise<TurnRun>,
): AsyncGenerator<ChatPart, ChatResult> {
  const progress = createProgress()
  let isOver = false
  try {
    yield* answer(await setUp(), progress)
    isOver = true
    if (progress.note !== undefined) yield { type: 'note', text: progress.note }
    return yield* end('completed')
  } catch (error) {
    isOver = true
    const failed = await endFailed(session, signal, progress, error)
    if (failed.error) yield { type: 'error', error: failed.error }
    return yield* end(failed.status, failed.error)
  } finally {
    // Whoever read the parts has left.
    if (!isOver) await session.cancel(arrivedOf(progress)).catch(() => undefined)
  }

  async function* end(status: ChatStatus, error?: Error): AsyncGenerator<ChatPart, ChatResult> {
    const { rounds, usage, texts, messages } = progress
    const told = { status, rounds, usage, ...(session.turn === undefined ? {} : { turn: session.turn }) }
    yield { type: 'end', ...told }
    return { ...told, text: texts.join('\n\n'), messages, ...(error ? { error } : {}) }
  }
}

async function* answer(run: TurnRun, progress: Progress): AsyncGenerator<ChatPart, void> {
  const { session, tools, maxRounds } = run
  let request: TurnRequestScope | undefined
  const add = (message: MessageLike) => {
    progress.messages.push(message)
    request?.tell(message)
  }
  while (progress.rounds < maxRounds) {
    const reply = yield* askOnce(run, progress)
    const { note, answers, others } = takeNoteCalls(reply)
    progress.note = note ?? reply.note ?? progress.note
    const message = toMessage(reply)
    if (reply.calls.length === 0) {
      await session.complete([toSeen(message)], progress.note)
      add(message)
      return
    }
    await session.append(() => [toSeen(message), ...answers])
    progress.reply = emptyReply()
    for (const one of [message, ...answers]) add(one)
    if (others.length > 0) {
      request ??= await run.openRequest()
      yield* runTools(others, { ...run, inRequest: request.inRequest, onMessage: add })
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
    },
  })
  progress.rounds += 1
  progress.usage = addUsage(progress.usage, reply.usage)
  if (reply.text !== '') progress.texts.push(reply.text)
  if (reply.reason === 'length')
    yield { type: 'warning', code: 'reply_cut', message: 'The reply was cut: it reached its longest.' }
  if (reply.text.trim() === '' && reply.calls.length === 0)
    yield { type: 'warning', code: 'empty_reply', message: 'The model answered nothing that a user may see.' }
  return reply
}
