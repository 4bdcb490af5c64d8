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
  const own = linkSignals(signal)
  const late = () => {
    const error = new Error(`${call.name} did not answer within ${ms} ms`)
    own.abort(error)
    return error
  }
  try {
    return await withLimit(inRequest(work), { signal, ms, late })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return failed(describe(error))
  } finally {
    own.unlink()
  }

  async function work(): Promise<ToolOutcome> {
    const input = await readInput(tool!, call.arguments)
    if ('problem' in input) return failed(input.problem)
    return toOutcome(call.name, await tool!.run(input.value, { signal: own.signal, callId: call.id }))
  }
}

async function readInput(tool: Tool, json: string): Promise<{ value: unknown } | { problem: string }> {
  let value: unknown
  try {
    value = JSON.parse(json.trim() === '' ? '{}' : json)
  } catch {
    return { problem: `the arguments of ${tool.name} are no JSON` }
  }
  const checked = await tool.schema['~standard'].validate(value)
  if (!checked.issues) return { value: checked.value }
  const issues = checked.issues.slice(0, 5).map(({ message, path = [] }) => {
    const where = path.map(part => String(typeof part === 'object' ? part.key : part)).join('.')
    return where ? `${where}: ${message}` : message
  })
  return { problem: `the arguments of ${tool.name} do not fit: ${issues.join('; ')}` }
}

/** Texts stay as they are, undefined becomes an empty text, all else JSON. */
function toOutcome(name: string, value: unknown): ToolOutcome {
  if (typeof value === 'string') return { text: value, isError: false }
  try {
    return { text: JSON.stringify(value) ?? '', isError: false }
  } catch {
    return failed(`${name} gave a value that cannot be written as JSON`)
  }
}

const failed = (problem: string): ToolOutcome => ({ text: `Error: ${problem}`, isError: true })

function describe(error: unknown): string {
  if (error instanceof Error) return error.message
  try {
    return String(error)
  } catch {
    return 'it failed'
  }
}
