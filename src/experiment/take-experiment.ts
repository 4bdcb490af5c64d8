import type { Thread, Turn } from '../history/index.ts'
import { ThroughlineError } from '../log/error.ts'
import { LeaseError } from '../stores/store-error.ts'
import { readWishes } from './control.ts'
import { ExperimentError } from './experiment-error.ts'
import type { ExperimentPlan } from './plan.ts'
import { runActor } from './role.ts'
import { controlThread, type RunOptions } from './run.ts'
import { fromRunMessage, type RunEntry, toRunMessage } from './run-entry.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import { type Created, foldEntries, foldEntry, type RunState } from './run-state.ts'

export const runThread = ({ history }: RunOptions, id: string): Thread =>
  history.thread(id, { actor: runActor })

/** Where an experiment stands. Throws when there is none of this id. */
export async function readState(options: RunOptions, id: string): Promise<RunState> {
  const state = foldEntries((await runThread(options, id).entries()).map(fromRunMessage))
  if (state) return state
  throw new ExperimentError('no_experiment', `There is no experiment "${id}".`)
}

/** Begins a new experiment; its lease is ours. */
export async function createRun(options: RunOptions, id: string, plan: ExperimentPlan): Promise<RunLog> {
  const created = toCreated(plan)
  const turn = await beginTurn(runThread(options, id), 1, created)
  if (turn) return createRunLog(turn, foldEntry(undefined, created)!)
  const problem = `There is an experiment "${id}" already: resume it, or choose another id.`
  throw new ExperimentError('experiment_exists', problem)
}

/**
 * Takes over an experiment that is paused, or whose runner is gone. Undefined when it has ended; refused with `turn_open`
 * while somebody runs it.
 */
export async function takeRun(options: RunOptions, id: string): Promise<RunLog | undefined> {
  const thread = runThread(options, id)
  // Counted before anything is read: if the turn of this number is ours, nobody has written since.
  const number = (await thread.turns()).length + 1
  const left = await thread.resume()
  try {
    const before = await readState(options, id)
    if (before.ended) {
      await left?.turn.leave()
      return undefined
    }
    const { wish, last } = await readWishes(controlThread(options, id), before.wishes)
    // A pause that was wished for before is over; a stop is not forgotten.
    const entry: RunEntry = { kind: 'resumed', wishes: wish === 'stop' ? before.wishes : last }
    if (left) {
      const log = createRunLog(left.turn, before)
      await log.append(entry)
      return log
    }
    const turn = await beginTurn(thread, number, entry)
    if (turn) return createRunLog(turn, foldEntry(before, entry)!)
  } catch (error) {
    await left?.turn.leave().catch(() => undefined)
    throw error
  }
  throw new LeaseError('turn_open', `The experiment "${id}" was just resumed by somebody else.`)
}

/** Each turn of the run's thread has a key of its own: of two who begin the same one, only one does. */
async function beginTurn(thread: Thread, number: number, entry: RunEntry): Promise<Turn | undefined> {
  try {
    const begun = await thread.begin(toRunMessage(entry), { key: `run/${number}` })
    return begun.kind === 'begun' ? begun.turn : undefined
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === 'key_reused') return undefined
    throw error
  }
}

/** Refuses a plan that cannot go on with what another one began. Limits, models, prompts and goals may change. */
export function checkPlan({ created }: RunState, plan: ExperimentPlan): void {
  const now = toCreated(plan)
  for (const part of ['name', 'roles', 'variables'] as const) {
    if (inOrder(now[part]) === inOrder(created[part])) continue
    const problem = `This plan differs in its ${part} from the one that the experiment was begun with`
    throw new ExperimentError('plan_changed', `${problem}: resume it with its own.`)
  }
}

/** The order of roles matters, that of variables does not. */
const inOrder = (part: Created['name' | 'roles' | 'variables']) =>
  JSON.stringify(typeof part === 'object' && !Array.isArray(part) ? Object.entries(part).sort() : part)

function toCreated({ name, roles, variables, goals, maxSteps, environment, json }: ExperimentPlan): Created {
  return {
    kind: 'created',
    version: 1,
    name,
    roles: roles.map(role => role.name),
    variables: Object.fromEntries(variables),
    goals: goals.map(({ description, outcome = 'completed' }) => ({ description, outcome })),
    maxSteps,
    environment,
    ...(json && { plan: json }),
  }
}
