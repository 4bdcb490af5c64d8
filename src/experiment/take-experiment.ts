import { LeaseError } from '../stores/store-error.ts'
import { ExperimentError, unlessRefused } from './experiment-error.ts'
import type { Created, ExperimentEntry, ExperimentLog, ExperimentState } from './log/experiment-log.ts'
import { beginState, createExperimentLog, foldEntry, toEntryMessage } from './log/experiment-log.ts'
import type { ExperimentThreads } from './log/experiment-threads.ts'
import { beginOnce, cancelTurns, foldStep, readState } from './log/experiment-threads.ts'
import { endOf, leaveWish, readWishes, type Wish } from './log/wish.ts'
import type { ExperimentPlan } from './plan/define-experiment.ts'

export async function beginExperiment({ id, mainThread }: ExperimentThreads, plan: ExperimentPlan) {
  const created = toCreated(plan)
  const turn = await beginOnce(mainThread, toEntryMessage(created), runKey(1))
  if (turn) return createExperimentLog(turn, beginState(created))
  const problem = `There is an experiment "${id}" already: resume it, or choose another id.`
  throw new ExperimentError('experiment_exists', problem)
}

/** Takes over a paused or left experiment. Undefined when it has ended; throws `turn_open` while another process runs it. */
export async function takeExperiment(threads: ExperimentThreads): Promise<ExperimentLog | undefined> {
  const { id, mainThread, control } = threads
  // Counted before the state is read: if this process begins the turn of this number, no other process has written since.
  const number = (await mainThread.turns()).length + 1
  const left = await mainThread.resume()
  try {
    const before = await readState(threads)
    if (before.ended) {
      await left?.turn.leave()
      return undefined
    }
    const { wish, last } = await readWishes(control, before.wishes)
    // Resuming cancels earlier wishes to pause, but not a wish to stop.
    const entry: ExperimentEntry = { kind: 'resumed', wishes: wish === 'stop' ? before.wishes : last }
    if (left) {
      const log = createExperimentLog(left.turn, before)
      await log.append(entry)
      return log
    }
    const turn = await beginOnce(mainThread, toEntryMessage(entry), runKey(number))
    if (turn) return createExperimentLog(turn, foldEntry(before, entry))
  } catch (error) {
    await left?.turn.leave().catch(() => undefined)
    throw error
  }
  throw new LeaseError('turn_open', `The experiment "${id}" was just resumed by another process.`)
}

/** Pauses or stops an experiment: at once, or by asking the process that runs it, before the next role acts. */
export async function settleWish(threads: ExperimentThreads, wish: Wish): Promise<'asked' | 'done'> {
  const { ended, isPaused } = await readState(threads)
  if (ended) {
    const problem = `The experiment "${threads.id}" has ended as ${ended.status}.`
    throw new ExperimentError('experiment_ended', problem)
  }
  if (isPaused && wish === 'pause') return 'done'
  const tryTake = () => unlessRefused('turn_open', takeExperiment(threads))
  let log = await tryTake()
  if (!log) {
    await leaveWish(threads.control, wish)
    // Once more: the process that ran the experiment may have left without seeing the wish.
    log = await tryTake()
  }
  if (!log) return 'asked'
  try {
    const { state } = log
    if (wish === 'stop') await cancelTurns(threads, state)
    await log.close(endOf[wish], await foldStep(threads, state))
  } catch (error) {
    await log.leave()
    throw error
  }
  return 'done'
}

/** The key of a turn of the experiment's own thread makes sure that only one of two processes begins it. */
const runKey = (number: number) => `run/${number}`

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
    plan: json,
  }
}
