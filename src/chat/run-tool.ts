import type { ReplyCall } from './call-model.ts'
import type { Tool } from './tool.ts'

export interface ToolOutcome {
  readonly text: string
  readonly isError: boolean
}

export interface ToolEnvironment {
  readonly tools: ReadonlyMap<string, Tool>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Runs something in the request context of the turn. */
  readonly inRequest: <T>(action: () => T) => T
}

/** Runs one call. Whatever goes wrong in it is a result for the model; only a cancel is thrown. */
export async function runTool(call: ReplyCall, environment: ToolEnvironment): Promise<ToolOutcome> {
  const { tools, signal } = environment
  const tool = tools.get(call.name)
  if (!tool)
    return failed(`there is no tool "${call.name}". There is: ${[...tools.keys()].join(', ') || 'none'}.`)
  const timeoutMs = tool.timeoutMs ?? environment.timeoutMs
  try {
    const input = await readInput(tool, call.arguments)
    if ('problem' in input) return failed(input.problem)
    const late = AbortSignal.timeout(timeoutMs)
    const own = AbortSignal.any([signal, late])
    const run = async () => tool.run(input.value, { signal: own, callId: call.id })
    const value = await Promise.race([environment.inRequest(run), aborted(own)])
    return { text: toText(value), isError: false }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return failed(isLate ? `${call.name} did not answer within ${timeoutMs} ms` : describe(error))
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

/** A text as it is, nothing as nothing, anything else as JSON. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

const failed = (problem: string): ToolOutcome => ({ text: `Error: ${problem}`, isError: true })

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
