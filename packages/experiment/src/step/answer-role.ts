import {
  answerTurn,
  createTally,
  type Emit,
  keepResult,
  type ModelReply,
  runTool,
  setUpAsking,
  type Tool,
  type ToolOutcome,
  threadLog,
  toMessage,
  toSeen,
  toSpec,
} from '@throughline/chat/turn'
import { noteToolName } from '@throughline/core/messages'
import { toModelTokens } from '@throughline/core/tokens'
import type { SeenMessage, Thread, Turn } from '@throughline/history'
import { ModelError, type ReplyCall } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import { LeaseError } from '@throughline/stores/errors'
import {
  applyChange,
  changeEnvironment,
  type Environment,
  type Patch,
  visibleTo,
} from '../environment.ts'
import { ExperimentFailure } from '../experiment-error.ts'
import type { RecordedDecision } from '../log/experiment-log.ts'
import type { ActiveExperiment, RoleData } from '../log/experiment-threads.ts'
import { beginOnce, foldStep, stepTurns, turnKey } from '../log/experiment-threads.ts'
import type { PlanRole } from '../plan/role.ts'
import { askHooks, hookKey } from './ask-hooks.ts'

/** Goes on with the turn of a role until it has ended, and asks the hooks around every model and tool call. */
export async function answerRole(
  active: ActiveExperiment,
  role: PlanRole,
  { thread, turn, attempt, turnMessages }: RoleTurn,
  signal: AbortSignal,
): Promise<void> {
  const { history, plan, step, emit, stallMs, backoffMs } = active
  const { name } = role
  const at = { step, role: name }
  const log = threadLog({ history, thread, turn, turnMessages })
  const injected = new Set(turnMessages.map(({ data }) => (data as RoleData | undefined)?.hook))
  let predicted = 0

  const tell: Emit = part => {
    if (part.type === 'context') predicted = toModelTokens(part.receipt.tokens, part.factor)
    return part.type === 'warning' ? emit({ ...part, role: name }) : undefined
  }

  function setUp() {
    const specs = role.tools.map(tool => toSpec(plan.tools.get(tool)!))
    return setUpAsking(
      // The same prompt for every model, wherever it runs.
      { ...role, stallMs, backoffMs, systemPrompt: 'as sent', retries: plan.maxStepRetries },
      { log, emit: tell, signal, specs, replies: 'whole', tally: createTally() },
    )
  }

  function tellReply({ text, usage }: ModelReply, round: number): void | Promise<void> {
    const { promptTokens: reported, replyTokens } = usage
    const model = role.model.name
    return emit({
      type: 'model-called',
      ...at,
      round,
      model,
      predicted,
      reported,
      replyTokens,
      text,
    })
  }

  async function answerCall(call: ReplyCall): Promise<void> {
    const { rounds: round, results } = log.progress
    const context = { role: name, round, call: toHookCall(call) }
    const { skip } = await askHooks(active, 'before-tool', [name, attempt, results], context)
    await emit({ type: 'tool-called', ...at, name: call.name, arguments: call.arguments })
    active.signal.throwIfAborted()
    const { text, isError } = skip
      ? await keepResult(log, call, { text: 'Error: this tool was not run', isError: true })
      : await runOnDraft(call, JSON.stringify([active.id, step, name, results]))
    await emit({ type: 'tool-result', ...at, name: call.name, text, isError })
    await askAfterTool()
  }

  /** Runs one call. Result and patches are one entry; then the environment changes, unless the tool has failed. */
  async function runOnDraft(call: ReplyCall, key: string): Promise<ToolOutcome> {
    const { tools, change } = draftTools(active, role, key)
    const { toolTimeoutMs: timeoutMs = 60_000 } = active
    const outcome = await runTool(call, { tools, timeoutMs, signal, inRequest: action => action() })
    const made = outcome.isError ? undefined : change()
    const data: RoleData | undefined = made && { patches: made.patches }
    const kept = await keepResult(log, call, { ...outcome, data })
    if (made && !kept.isRefused) active.environment = made.environment
    return kept
  }

  /** Asks the hooks after a tool. The result is logged before, whatever the hooks do. */
  async function askAfterTool(): Promise<void> {
    const { rounds: round, results, answered } = log.progress
    if (!answered || (hasNoteTool(role) && answered.call.name === noteToolName)) return
    const { call, text, isError } = answered
    const context = { role: name, round, call: toHookCall(call), result: { text, isError } }
    await askHooks(active, 'after-tool', [name, attempt, results - 1], context)
  }

  try {
    // In a resumed turn the hooks of the last tool may not have been asked.
    await askAfterTool()
    await answerTurn(
      { log, signal, setUp },
      {
        async runCalls(waiting) {
          for (const call of waiting) {
            active.signal.throwIfAborted()
            await answerCall(call)
          }
          return true
        },
        isOver: ({ rounds, called }) =>
          rounds >= role.maxRounds ||
          called.some(tool => endsTurn(active, role, tool)) ||
          active.log.state.ending !== undefined,
        async beforeCall(round) {
          const place = [name, attempt, round]
          const { inject = [] } = await askHooks(active, 'before-model', place, {
            role: name,
            round,
          })
          if (active.log.state.ending) return false
          const hook = hookKey('before-model', step, place)
          const added = inject.map(message => ({
            message: { role: 'user', ...message },
            data: { hook },
          }))
          // They may have been injected before a crash.
          if (added.length > 0 && !injected.has(hook)) await log.append(() => added)
          return true
        },
        async onReply(reply, round) {
          const context = {
            role: name,
            round,
            text: reply.text,
            calls: reply.calls.map(toHookCall),
          }
          try {
            await askHooks(active, 'after-model', [name, attempt, round], context)
          } catch (error) {
            if (!(error instanceof ExperimentFailure)) throw error
            await tellReply(reply, round)
            active.signal.throwIfAborted()
            // The text is kept; the calls were never run.
            if (reply.text !== '')
              await log.append(() => [toSeen(toMessage({ ...reply, calls: [] }))])
            throw error
          }
        },
        // Told once the reply is logged: a reader who leaves then must not cause the model to be asked again.
        onKept: async (reply, round) => tellReply(reply, round),
      },
    )
  } catch (error) {
    throw active.signal.aborted ? active.signal.reason : toFailure(error, plan.maxStepRetries)
  }
}

/** The tools of a role, for one call: each works on a draft of the environment. `change` is what the call has changed. */
function draftTools(active: ActiveExperiment, role: PlanRole, key: string) {
  const { plan, step } = active
  let change: { readonly patches: readonly Patch[]; readonly environment: Environment } | undefined
  const toTool = (name: string): Tool => {
    const tool = plan.tools.get(name)!
    const run: Tool['run'] = async (input, { signal }) => {
      const { draft, finish } = changeEnvironment(active.environment, plan.variables)
      const environment = draft as never
      const value = await tool.run(input, { environment, role: role.name, step, key, signal })
      // Before the draft is finished: parts of it that the tool returned cannot be read after that.
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      const patches = finish()
      // Applied before it is stored: patches that cannot be applied must fail the tool, not every later reader.
      if (patches.length > 0)
        change = { patches, environment: applyChange(active.environment, patches) }
      return text
    }
    return { ...tool, run }
  }
  return { tools: new Map(role.tools.map(name => [name, toTool(name)])), change: () => change }
}

function toFailure(error: unknown, retries: number): unknown {
  if (!(error instanceof ModelError)) return error
  const result = error.isRetryable
    ? `Error: Inference failed after ${retries} retries.`
    : `Error: ${error.message}`
  return new ExperimentFailure(error.code, result, { cause: error })
}

/** A tool that the role may not use ends the turn, as tools do by default. */
function endsTurn({ plan }: ActiveExperiment, role: PlanRole, name: string): boolean {
  if (hasNoteTool(role) && name === noteToolName) return false
  return !role.tools.includes(name) || plan.tools.get(name)!.endsTurn
}

const hasNoteTool = ({ notes }: PlanRole) => typeof notes === 'object' && notes.by === 'tool'

const toHookCall = ({ name, arguments: json }: ReplyCall) => ({ name, arguments: json })

export interface RoleTurn {
  readonly thread: Thread
  readonly turn: Turn
  readonly attempt: number
  /** The messages so far: they determine what comes next. */
  readonly turnMessages: readonly SeenMessage[]
}

/** What the hooks before a turn give it: messages, and images for the message of the step. */
export type TurnInput = Pick<RecordedDecision, 'inject' | 'images'>

/** Opens the turn of a role in the current step: a new one, or one that was left open. Undefined if it has ended. */
export async function openTurn(
  active: ActiveExperiment,
  role: PlanRole,
  { inject, images }: Required<TurnInput>,
): Promise<RoleTurn | undefined> {
  const { step: number, signal } = active
  const thread = active.roleThread(role.name)
  const { history } = role
  if (number === 1 && history.length > 0 && (await thread.entries({ limit: 1 })).length === 0)
    await thread.seed(...history)
  for (let attempt = 1; ; ) {
    const step = { content: stepText(active, role), ...(images.length > 0 && { images }) }
    const input = [...inject, step].map(message => ({ role: 'user', ...message }))
    const begun = await whenFree(() => beginOnce(thread, input, turnKey(number, attempt)), signal)
    if (begun)
      return { thread, turn: begun, attempt, turnMessages: input.map(message => ({ message })) }
    // The turn was begun before: it counts as it is, even if we would now begin it with another text, because it has
    // itself changed the environment that the text shows.
    const turns = await stepTurns(thread, number)
    const isIdle = (await thread.status()).state === 'idle'
    const resumed = isIdle ? undefined : await whenFree(() => thread.resume(), signal)
    if (!isIdle && !resumed) continue
    try {
      active.environment = await foldStep(active, active.log.state)
    } catch (error) {
      await resumed?.turn.leave().catch(() => undefined)
      throw error
    }
    if (resumed)
      return { thread, turn: resumed.turn, attempt: turns.length, turnMessages: resumed.entries }
    if (turns.at(-1)?.status === 'completed') return undefined
    attempt = turns.length + 1
  }
}

/** Waits until the lease of a dead process runs out. No other process can take it, because we hold the experiment. */
export async function whenFree<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LeaseError) || error.code !== 'turn_open') throw error
      await sleep(Math.min(200, error.retryAfterMs ?? 200), signal)
    }
  }
}

const stepText = ({ step, environment }: ActiveExperiment, { variables }: PlanRole) =>
  `Step ${step}. Current Environment: ${JSON.stringify(visibleTo(environment, variables))}`
