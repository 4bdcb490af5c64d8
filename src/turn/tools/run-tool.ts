import { appendToConversation, bindContext, runWithContext } from '../../request/index.ts'
import { toError } from '../end-failed.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { ReplyCall } from '../model-reply.ts'
import { linkSignals } from '../wait/link-signals.ts'
import { withLimit } from '../wait/with-limit.ts'
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

/** Runs one call. A failure becomes a result for the model; only a cancel is thrown. */
export async function runTool(call: ReplyCall, environment: ToolEnvironment): Promise<ToolOutcome> {
  const { tools, signal, inRequest } = environment
  const tool = tools.get(call.name)
  if (!tool)
    return failed(`there is no tool "${call.name}". There is: ${[...tools.keys()].join(', ') || 'none'}.`)
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

const failed = (problem: string): ToolOutcome => ({ text: `Error: ${problem}`, isError: true })

/** Opens one request context for the whole turn: its tools share memory, and see what the turn has added so far. */
export async function openRequest(
  log: TurnLog,
  { projectId, data }: { readonly projectId?: string | undefined; readonly data?: unknown },
): Promise<ToolEnvironment['inRequest']> {
  const context = { ...(await log.request()), ...(projectId !== undefined && { projectId }), data }
  const inRequest = runWithContext(context, () => bindContext((action: () => unknown) => action()))
  log.onAdded(message => void inRequest(() => appendToConversation(message)))
  return inRequest as ToolEnvironment['inRequest']
}
