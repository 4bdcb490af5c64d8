import { findStandIn, type MessageLike, markResult, noteToolName } from '@throughline/core/messages'
import { carriesNote, shownArguments, veiledResult } from '@throughline/core/notes'
import { appendToConversation, bindContext, runWithContext } from '@throughline/history/request'
import type { ReplyCall } from '@throughline/models/model'
import { TooLargeError } from '@throughline/stores/errors'
import { toError } from '../end-failed.ts'
import { clippedView } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { Asking } from '../turn-options.ts'
import { linkSignals, withLimit } from '../wait/link-signals.ts'
import type { Tool } from './tool.ts'

export interface ToolOutcome {
  readonly text: string
  readonly isError: boolean
}

export interface ToolEnvironment {
  readonly tools: ReadonlyMap<string, Tool>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Runs an action in the request context of the turn. */
  readonly inRequest: <T>(action: () => T) => T
}

interface ToolsRun extends ToolEnvironment, Pick<Asking, 'log' | 'emit' | 'mostResultTokens'> {
  /** Whether tools run in sequence, unless a tool says otherwise. */
  readonly inOrder: boolean
}

/** Runs the calls of one round: side by side, but for tools that run in order. Each result is logged as soon as it arrives. */
export async function runTools(calls: readonly ReplyCall[], run: ToolsRun): Promise<void> {
  for (const { id, name, arguments: json } of calls.filter(isShown))
    await run.emit({ type: 'tool-call', id, name, arguments: shownArguments(json) })
  const link = linkSignals(run.signal)
  const running: Promise<void>[] = []
  /** The last call that runs in order: those behind it wait for it. */
  let last: Promise<unknown> = Promise.resolve()
  for (const call of calls) {
    const isOrdered = run.tools.get(call.name)?.inOrder ?? run.inOrder
    const before = isOrdered ? Promise.all(running) : last
    const done = before.then(() => {
      link.signal.throwIfAborted()
      return finish(call, { ...run, signal: link.signal })
    })
    running.push(done)
    if (isOrdered) last = done
  }
  try {
    await Promise.all(running)
  } finally {
    // Cancelled, failed or left: running tools are stopped and waited for.
    link.abort()
    await Promise.allSettled(running)
    link.unlink()
  }
}

/** A call of the note tool holds a note, which is not shown even if the tool was not offered. */
const isShown = ({ name }: ReplyCall) => name !== noteToolName

async function finish(call: ReplyCall, run: ToolsRun): Promise<void> {
  const { log, emit, mostResultTokens } = run
  const { text, isError, isClipped } = await keepResult(
    log,
    call,
    await runTool(call, run),
    mostResultTokens,
  )
  if (!isShown(call)) return
  const { id, name } = call
  const shown = carriesNote(call) ? veiledResult : text
  await emit({ type: 'tool-result', id, name, text: shown, isError })
  if (!isClipped) return
  const message = `The result of ${name} has ${text.length} characters: the model sees its beginning.`
  await emit({ type: 'warning', code: 'result_clipped', message })
}

/** Logs a result, `data` in the same entry. `isRefused`: it was too large for the store, and became an error. */
export async function keepResult(
  log: TurnLog,
  { id, name }: ReplyCall,
  result: ToolOutcome & { readonly data?: object },
  mostTokens?: number,
) {
  let isClipped = false
  async function keep({ text, isError, data }: typeof result): Promise<ToolOutcome> {
    const message: MessageLike = { role: 'tool', tool_call_id: id, name, content: text }
    const kept = { message: markResult(message, isError), isError, data }
    await log.append(place => {
      const content = mostTokens && clippedView(text, { place, mostTokens, count: log.count })
      isClipped = content !== undefined
      return [isClipped ? { ...kept, view: { ...message, content } } : kept]
    })
    return { text, isError }
  }
  try {
    return { ...(await keep(result)), isClipped, isRefused: false }
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    return {
      ...(await keep({ text: `Error: ${error.message}`, isError: true })),
      isClipped,
      isRefused: true,
    }
  }
}

/** Runs one call. A failure becomes a result for the model; only a cancel is thrown. */
export async function runTool(call: ReplyCall, environment: ToolEnvironment): Promise<ToolOutcome> {
  const { tools, signal, inRequest } = environment
  const tool = tools.get(call.name)
  if (!tool)
    return failed(
      `there is no tool "${call.name}". There is: ${[...tools.keys()].join(', ') || 'none'}.`,
    )
  const ms = tool.timeoutMs ?? environment.timeoutMs
  const link = linkSignals(signal)
  const late = () => {
    const error = new Error(`${call.name} did not answer within ${ms} ms`)
    link.abort(error)
    return error
  }
  try {
    return { text: await withLimit(inRequest(work), { signal, ms, late }), isError: false }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return failed(toError(error).message)
  } finally {
    link.unlink()
  }

  async function work(): Promise<string> {
    const input = await readInput(tool!, call.arguments)
    return toText(call.name, await tool!.run(input, { signal: link.signal, callId: call.id }))
  }
}

async function readInput(tool: Tool, json: string): Promise<unknown> {
  let value: unknown
  try {
    value = JSON.parse(json.trim() === '' ? '{}' : json)
  } catch {
    throw new Error(`the arguments of ${tool.name} are no JSON`)
  }
  // Written anew: any letter may stand in the JSON as an escape.
  const standIn = findStandIn(JSON.stringify(value))
  if (standIn !== undefined) throw new Error(standInCopied(standIn))
  const checked = await tool.schema['~standard'].validate(value)
  if (!checked.issues) return checked.value
  const issues = checked.issues.slice(0, 5).map(({ message, path = [] }) => {
    const where = path.map(part => String(typeof part === 'object' ? part.key : part)).join('.')
    return where ? `${where}: ${message}` : message
  })
  throw new Error(`the arguments of ${tool.name} do not fit: ${issues.join('; ')}`)
}

/** Texts stay as they are, undefined becomes an empty text, all else JSON. */
function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    throw new Error(`${name} gave a value that cannot be written as JSON`)
  }
}

const standInCopied = (standIn: string) =>
  `the arguments hold ${standIn}: that stands for a text that you were not sent, and is not the text. Nothing was done. Read the text again, or write all of it yourself.`

const failed = (problem: string): ToolOutcome => ({ text: `Error: ${problem}`, isError: true })

/** Opens one request context for the whole turn: its tools share memory, and see what the turn has added so far. */
export async function openRequest(
  log: TurnLog,
  { projectId, data }: { projectId?: string; data?: unknown },
) {
  const context = { ...(await log.request()), ...(projectId !== undefined && { projectId }), data }
  const inRequest = runWithContext(context, () => bindContext((action: () => unknown) => action()))
  log.onAdded(message => void inRequest(() => appendToConversation(message)))
  return inRequest as ToolEnvironment['inRequest']
}
