import type { ReplyCall } from '../chat/call-model.ts'
import { runTool, type ToolOutcome } from '../chat/run-tool.ts'
import type { Tool } from '../chat/tool.ts'
import { markResult } from '../log/is-error-result.ts'
import type { MessageLike } from '../log/message.ts'
import { TooLargeError } from '../stores/store-error.ts'
import { applyChange, changeEnvironment, type Patch } from './environment.ts'
import type { RoleTurn } from './open-turn.ts'
import type { Role } from './role.ts'
import type { Run } from './run.ts'
import type { TurnData } from './step-turns.ts'
import type { Environment } from './variable.ts'

export interface CallOutcome extends ToolOutcome {
  /** What it changed, and what it has come to; not yet in effect. Absent when nothing was changed. */
  readonly change?: { readonly patches: readonly Patch[]; readonly environment: Environment }
}

/** Runs one call on a draft of the environment. A tool that fails, or writes what a variable cannot be, changes nothing. */
export async function runCall(
  run: Run,
  role: Role,
  call: ReplyCall,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<CallOutcome> {
  let made: CallOutcome['change']
  const { step, plan, toolTimeoutMs: timeoutMs = 60_000 } = run
  const tools = new Map<string, Tool>()
  for (const name of role.tools) {
    const tool = plan.tools.get(name)!
    tools.set(name, {
      ...tool,
      async run(input, { signal: own }) {
        const change = changeEnvironment(run.environment, plan.variables)
        const environment = change.draft as never
        const value = await tool.run(input, { environment, role: role.name, step, key, signal: own })
        // A part of the draft cannot be read any more once it is finished.
        const text = toText(value)
        const patches = change.finish()
        // Before anything is stored: what cannot be applied is the error of the tool, and not of all who read the log.
        if (patches.length > 0) made = { patches, environment: applyChange(run.environment, patches) }
        return text
      },
    })
  }
  const outcome = await runTool(call, { tools, timeoutMs, signal, inRequest: action => action() })
  return outcome.isError || !made ? outcome : { ...outcome, change: made }
}

/** Keeps the result and its effect in one entry; only then is the environment another one. */
export async function recordCall(
  run: Run,
  { turn, said }: RoleTurn,
  call: ReplyCall,
  outcome: CallOutcome,
): Promise<ToolOutcome> {
  const { change, ...told } = outcome
  const message = markResult(toResult(call, told.text), told.isError)
  const data: TurnData = change ? { patches: change.patches } : {}
  try {
    await turn.append({ message, isError: told.isError, ...(change && { data }) })
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    const failed = { text: `Error: ${error.message}`, isError: true }
    return recordCall(run, { turn, said } as RoleTurn, call, failed)
  }
  run.environment = change?.environment ?? run.environment
  said.push({ message, data })
  return told
}

function toResult({ id, name }: ReplyCall, content: string): MessageLike {
  return { role: 'tool', ...(id === '' ? {} : { tool_call_id: id }), name, content }
}

/** A text as it is, nothing as nothing, anything else as JSON. */
const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
