import { markResult } from '../log/is-error-result.ts'
import type { MessageLike } from '../log/message.ts'
import { type NoteOptions, noteToolName } from '../notes/index.ts'
import { shownArguments } from '../notes/shown-arguments.ts'
import { carriesNote, veiledResult } from '../notes/to-display.ts'
import { TooLargeError } from '../stores/store-error.ts'
import type { ReplyCall } from './call-model.ts'
import type { ChatPart } from './chat-part.ts'
import { clippedView } from './clip-result.ts'
import { linkSignals } from './link-signals.ts'
import { runTool, type ToolEnvironment, type ToolOutcome } from './run-tool.ts'
import type { Session, TurnMessage } from './session.ts'

export interface ToolsRun extends ToolEnvironment {
  readonly session: Session
  /** Undefined: a note in the arguments of a call is ordinary text. */
  readonly notes: NoteOptions | undefined
  /** A result with more tokens is shown by its beginning. */
  readonly mostResultTokens: number
  readonly onMessage: (message: MessageLike) => void
}

/** Runs the calls of one round side by side. Each result is in the log as soon as it is there. */
export async function* runTools(calls: readonly ReplyCall[], run: ToolsRun): AsyncGenerator<ChatPart, void> {
  for (const { id, name, arguments: json } of calls.filter(isShown))
    yield { type: 'tool-call', id, name, arguments: shownArguments(json, run.notes) }
  const stop = new AbortController()
  const { signal, unlink } = linkSignals(run.signal, stop.signal)
  const own = { ...run, signal }
  const running = new Map(
    calls.map((call, at) => [
      at,
      finish(call, own).then(parts => ({ at, parts: isShown(call) ? parts : [] })),
    ]),
  )
  try {
    while (running.size > 0) {
      const { at, parts } = await Promise.race(running.values())
      running.delete(at)
      yield* parts
    }
  } finally {
    // Cancelled, failed, or nobody reads any more: the others stop too, and have written what they write.
    stop.abort()
    await Promise.allSettled(running.values())
    unlink()
  }
}

/** What a model writes for itself is a note also where nobody offered it the tool for it. */
const isShown = ({ name }: ReplyCall) => name !== noteToolName

async function finish(call: ReplyCall, run: ToolsRun): Promise<readonly ChatPart[]> {
  const outcome = await runTool(call, run)
  try {
    return await record(call, outcome, run)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    return record(call, { text: `Error: ${error.message}`, isError: true }, run)
  }
}

async function record(call: ReplyCall, outcome: ToolOutcome, run: ToolsRun): Promise<readonly ChatPart[]> {
  const { session, mostResultTokens: mostTokens, onMessage } = run
  const { text, isError } = outcome
  const result: MessageLike = { role: 'tool', tool_call_id: call.id, name: call.name, content: text }
  const message = markResult(result, isError)
  let isClipped = false
  await session.append((place): readonly TurnMessage[] => {
    const clipped = clippedView(text, { place, mostTokens, count: session.count })
    isClipped = clipped !== undefined
    return [{ message, isError, ...(isClipped && { view: { ...message, content: clipped } }) }]
  })
  onMessage(message)
  const shown = carriesNote(call, run.notes) ? veiledResult : text
  const part: ChatPart = { type: 'tool-result', id: call.id, name: call.name, text: shown, isError }
  if (!isClipped) return [part]
  const warning = `The result of ${call.name} has ${text.length} characters: the model sees its beginning.`
  return [part, { type: 'warning', code: 'result_clipped', message: warning }]
}
