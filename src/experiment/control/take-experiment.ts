import type { Thread, Turn } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import { LeaseError } from '../../stores/store-error.ts'
import { ExperimentError } from '../experiment-error.ts'
import { controlThread, type ExperimentsOptions } from '../log/active-experiment.ts'
import { type ExperimentEntry, fromEntryMessage, toEntryMessage } from '../log/experiment-entry.ts'
import { createExperimentLog, type ExperimentLog } from '../log/experiment-log.ts'
import { type Created, type ExperimentState, foldEntries, foldEntry } from '../log/experiment-state.ts'
import { readWishes } from '../log/wish.ts'
import type { ExperimentPlan } from '../plan/plan.ts'
import { experimentActor } from '../plan/role.ts'

export const experimentThread = ({ history }: ExperimentsOptions, id: string): Thread =>
  history.thread(id, { actor: experimentActor })

/** Reads where an experiment stands. Throws if there is none of this id. */
export async function readState(options: ExperimentsOptions, id: string): Promise<ExperimentState> {
  const state = foldEntries((await experimentThread(options, id).entries()).map(fromEntryMessage))
  if (state) return state
  throw new ExperimentError('no_experiment', `There is no experiment "${id}".`)
}

/** Begins a new experiment and holds its lease. */
export async function beginExperiment(
  options: ExperimentsOptions,
  id: string,
  plan: ExperimentPlan,
): Promise<ExperimentLog> {
  const created = toCreated(plan)
  const turn = await beginTurn(experimentThread(options, id), 1, created)
  if (turn) return createExperimentLog(turn, foldEntry(undefined, created)!)
  const problem = `There is an experiment "${id}" already: resume it, or choose another id.`
  throw new ExperimentError('experiment_exists', problem)
}

/**
 * Takes over an experiment that is paused, or whose process is gone. Undefined when it has ended; throws `turn_open` while
 * another process runs it.
 */
export async function takeExperiment(
  options: ExperimentsOptions,
  id: string,
): Promise<ExperimentLog | undefined> {
  const thread = experimentThread(options, id)
  // Counted before the state is read: if this process begins the turn of this number, nobody has written since.
  const number = (await thread.turns()).length + 1
  const left = await thread.resume()
  try {
    const before = await readState(options, id)
    if (before.ended) {
      await left?.turn.leave()
      return undefined
    }
    const { wish, last } = await readWishes(controlThread(options, id), before.wishes)
    // Resuming cancels earlier wishes to pause, but not a wish to stop.
    const entry: ExperimentEntry = { kind: 'resumed', wishes: wish === 'stop' ? before.wishes : last }
    if (left) {
      const log = createExperimentLog(left.turn, before)
      await log.append(entry)
      return log
    }
    const turn = await beginTurn(thread, number, entry)
    if (turn) return createExperimentLog(turn, foldEntry(before, entry)!)
  } catch (error) {
    await left?.turn.leave().catch(() => undefined)
    throw error
  }
  throw new LeaseError('turn_open', `The experiment "${id}" was just resumed by somebody else.`)
}

/** Begins a turn of the experiment's own thread. Its key makes sure that only one of two processes begins it. */
async function beginTurn(thread: Thread, number: number, entry: ExperimentEntry): Promise<Turn | undefined> {
  try {
    const begun = await thread.begin(toEntryMessage(entry), { key: `run/${number}` })
    return begun.kind === 'begun' ? begun.turn : undefined
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === 'key_reused') return undefined
    throw error
  }
}

/** Refuses a plan with other roles or variables than the experiment. Limits, models, prompts and goals may change. */
export function checkPlan({ created }: ExperimentState, plan: ExperimentPlan): void {
  const now = toCreated(plan)
  for (const part of ['name', 'roles', 'variables'] as const) {
    if (inOrder(now[part]) === inOrder(created[part])) continue
    const problem = `This plan differs in its ${part} from the one that the experiment was begun with`
    throw new ExperimentError('plan_changed', `${problem}: resume it with its own.`)
  }
}

/** For comparing: the order of roles matters, that of variables does not. */
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
