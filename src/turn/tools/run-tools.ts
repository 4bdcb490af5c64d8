import { type NoteOptions, noteToolName } from '../../notes/index.ts'
import { shownArguments } from '../../notes/shown-arguments.ts'
import { carriesNote, veiledResult } from '../../notes/to-display.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { ReplyCall } from '../model-reply.ts'
import type { Emit } from '../turn-part.ts'
import { linkSignals } from '../wait/link-signals.ts'
import { keepResult } from './keep-result.ts'
import { runTool, type ToolEnvironment } from './run-tool.ts'

export interface ToolsRun extends ToolEnvironment {
  readonly log: TurnLog
  readonly emit: Emit
  /** Undefined: a note in the arguments of a call is ordinary text. */
  readonly notes: NoteOptions | undefined
  /** Of a result with more tokens the model sees only the beginning. */
  readonly mostResultTokens: number
}

/** Runs the calls of one round side by side. Each result is logged as soon as it arrives. */
export async function runTools(calls: readonly ReplyCall[], run: ToolsRun): Promise<void> {
  for (const { id, name, arguments: json } of calls.filter(isShown))
    await run.emit({ type: 'tool-call', id, name, arguments: shownArguments(json, run.notes) })
  const own = linkSignals(run.signal)
  const running = calls.map(call => finish(call, { ...run, signal: own.signal }))
  try {
    await Promise.all(running)
  } finally {
    // Cancelled, failed or left: the other tools are stopped and waited for.
    own.abort()
    await Promise.allSettled(running)
    own.unlink()
  }
}

/** A call of the note tool holds a note, which is not shown even if the tool was not offered. */
const isShown = ({ name }: ReplyCall) => name !== noteToolName

async function finish(call: ReplyCall, run: ToolsRun): Promise<void> {
  const { log, emit, notes, mostResultTokens } = run
  const kept = await keepResult(log, call, await runTool(call, run), mostResultTokens)
  const { text, isError, isClipped } = kept
  if (!isShown(call)) return
  const { id, name } = call
  const shown = carriesNote(call, notes) ? veiledResult : text
  await emit({ type: 'tool-result', id, name, text: shown, isError })
  if (!isClipped) return
  const warning = `The result of ${name} has ${text.length} characters: the model sees its beginning.`
  await emit({ type: 'warning', code: 'result_clipped', message: warning })
}
