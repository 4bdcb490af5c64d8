import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Experiment, ExperimentPlan, Experiments } from '../../experiment/index.ts'
import { LeaseError } from '../../stores/store-error.ts'
import { type AddCommand, isPostgres, type LogOptions } from '../log/open-log.ts'
import { print } from '../print.ts'
import { UserError } from '../user-error.ts'
import { createControlFile } from './control-file.ts'
import { catchInterrupts } from './interrupts.ts'
import { readExperiments, writeExperiments } from './open-experiments.ts'
import { watchExperiment } from './watch-experiment.ts'
import { nextLine, resultLine } from './wording.ts'

interface StartOptions extends LogOptions {
  readonly model?: string
  readonly lease: number
}

/** Commands that run an experiment and show it while it runs. */
export function addStartCommands(add: AddCommand): void {
  withStartOptions(
    add('run <plan>', 'runs a plan: a module in TypeScript or JavaScript, or JSON', { makesDatabase: true }),
  )
    .option('--id <id>', 'what the experiment is called; default: a new name')
    .action(async (file: string, options: StartOptions & { readonly id?: string }) => {
      const { loadPlan } = await import('./load-plan.ts')
      const plan = await loadPlan(file, options)
      const id = options.id ?? newId(plan.name)
      await start(options, { id, plan, file }, (experiments, signal) => experiments.run(plan, { id, signal }))
    })
  withStartOptions(
    add(
      'resume <id> [plan]',
      'goes on with one that is paused, or whose process is gone; its code must be named again',
    ),
  ).action(async (id: string, file: string | undefined, options: StartOptions) => {
    const { loadPlan } = await import('./load-plan.ts')
    const plan = file === undefined ? await storedPlan(id, options) : await loadPlan(file, options)
    await start(options, { id, plan, file }, (experiments, signal) =>
      experiments.resume(plan, id, { signal }),
    )
  })
}

function withStartOptions(command: Command): Command {
  return command
    .option('--model <name>', 'for every role: reader, ollama:<model> or openai:<base URL>#<model>')
    .option('--lease <seconds>', 'how long it stays taken when this process dies', toSeconds, 30)
}

/** Runs and shows an experiment. The exit code is 1 for FAILED, 0 for any other end. */
async function start(
  { db, tenant, model, lease }: StartOptions,
  {
    id,
    plan,
    file,
  }: { readonly id: string; readonly plan: ExperimentPlan; readonly file: string | undefined },
  begin: (experiments: Experiments, signal: AbortSignal) => Experiment,
): Promise<void> {
  const interrupts = catchInterrupts()
  const control: { file?: ReturnType<typeof createControlFile> } = {}
  const wishOf = (asked: string) => interrupts.wish ?? control.file?.wishOf(asked)
  try {
    const { checkModels } = await import('./choose-model.ts')
    await checkModels(plan, interrupts.signal)
    await writeExperiments({ db, tenant }, { leaseMs: lease * 1000, wishOf }, async experiments => {
      if (!isPostgres(db)) control.file = createControlFile(db, id)
      try {
        const experiment = begin(experiments, interrupts.signal)
        const result = await watchExperiment(experiment, plan, interrupts).catch(error =>
          refuseTaken(id, error),
        )
        print(resultLine(result))
        const next = nextLine(result, { id, db, tenant, plan: file, model })
        if (next !== undefined) print(next)
        if (result.status === 'FAILED') process.exitCode = 1
      } finally {
        control.file?.close()
      }
    })
  } finally {
    interrupts.close()
  }
  // After a second Ctrl-C, does not wait for timers and connections that a plan has left open.
  if (interrupts.signal.aborted) process.stdout.write('', () => process.exit())
}

/** Explains `turn_open`. Happens on PostgreSQL only: an SQLite file has one writer, this process. */
function refuseTaken(id: string, error: unknown): never {
  if (!(error instanceof LeaseError) || error.code !== 'turn_open') throw error
  const wait = error.retryAfterMs === undefined ? '' : ` in ${Math.ceil(error.retryAfterMs / 1000)} s`
  const problem = `${id} is run by another process. If that one died, it is free${wait} when its lease is over`
  throw new UserError(problem, { cause: error })
}

/** Loads the plan from the database: only a plan that came as JSON is there. */
async function storedPlan(id: string, options: StartOptions): Promise<ExperimentPlan> {
  const found: { json?: unknown } = {}
  await readExperiments(options, async experiments => {
    found.json = (await experiments.show(id)).plan
  })
  const { loadStoredPlan } = await import('./load-plan.ts')
  if (found.json !== undefined) return loadStoredPlan(id, found.json, options)
  throw new UserError(
    `the plan of "${id}" is code, which is not stored: say where it is, throughline experiment resume ${id} <plan>`,
  )
}

function newId(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return `${words || 'experiment'}-${randomBytes(3).toString('hex')}`
}

function toSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw new UserError(`--lease must be a number of seconds, not "${text}"`)
}
