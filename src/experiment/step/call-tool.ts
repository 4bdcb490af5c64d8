import {
  keepResult,
  type ReplyCall,
  runTool,
  type Tool,
  type ToolOutcome,
  type TurnLog,
} from '../../turn/index.ts'
import { applyChange, changeEnvironment, type Patch } from '../environment/environment.ts'
import type { Environment } from '../environment/variable.ts'
import type { ActiveExperiment } from '../log/active-experiment.ts'
import type { RoleData } from '../log/step-turns.ts'
import type { Role } from '../plan/role.ts'

interface CallPlace {
  readonly log: TurnLog
  /** An idempotency key: the same if this call is made again. */
  readonly key: string
  /** Whether a hook has decided to skip the call. */
  readonly skip: boolean
  readonly signal: AbortSignal
}

/** The patches of a call, and the environment with them; not yet in effect. */
interface Change {
  readonly patches: readonly Patch[]
  readonly environment: Environment
}

/**
 * Runs one call on a draft of the environment. The result and its patches are logged in one entry; then the environment
 * changes. A tool that fails, or writes an invalid value, changes nothing.
 */
export async function callTool(
  active: ActiveExperiment,
  role: Role,
  call: ReplyCall,
  place: CallPlace,
): Promise<ToolOutcome> {
  const { outcome, change } = place.skip ? skipped : await runOnDraft(active, role, call, place)
  const data: RoleData | undefined = change && { patches: change.patches }
  const kept = await keepResult(place.log, call, { ...outcome, ...(data && { data }) })
  if (change && !kept.isRefused) active.environment = change.environment
  return kept
}

const skipped: { readonly outcome: ToolOutcome; readonly change?: Change } = {
  outcome: { text: 'Error: this tool was not run', isError: true },
}

async function runOnDraft(
  active: ActiveExperiment,
  role: Role,
  call: ReplyCall,
  { key, signal }: CallPlace,
): Promise<{ readonly outcome: ToolOutcome; readonly change?: Change }> {
  let change: Change | undefined
  const { step, plan, toolTimeoutMs: timeoutMs = 60_000 } = active
  const tools = new Map<string, Tool>()
  for (const name of role.tools) {
    const tool = plan.tools.get(name)!
    tools.set(name, {
      ...tool,
      async run(input, { signal: own }) {
        const { draft, finish } = changeEnvironment(active.environment, plan.variables)
        const environment = draft as never
        const value = await tool.run(input, { environment, role: role.name, step, key, signal: own })
        // Before the draft is finished: parts of it that the tool returned cannot be read after that.
        const text = toText(value)
        const patches = finish()
        // Applied before it is stored: patches that cannot be applied must fail the tool, not every later reader.
        if (patches.length > 0) change = { patches, environment: applyChange(active.environment, patches) }
        return text
      },
    })
  }
  const outcome = await runTool(call, { tools, timeoutMs, signal, inRequest: action => action() })
  return { outcome, ...(change && !outcome.isError && { change }) }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
