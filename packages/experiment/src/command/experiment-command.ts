import { randomBytes } from 'node:crypto'
import { plural } from '@throughline/core/values'
import { messageLine } from '@throughline/server/cli/message-line'
import { wholeNumber } from '@throughline/server/cli/number-option'
import { adderFor, type LogOptions } from '@throughline/server/cli/open-log'
import { print, UserError } from '@throughline/server/cli/print'
import { StoreError } from '@throughline/stores/errors'
import type { Command } from 'commander'
import type { ExperimentPlan, ExperimentSummary, ExperimentView, Wish } from '../index.ts'
import {
  leaveWishInFile,
  lookAtExperiments,
  readExperiments,
  writeExperiments,
} from './open-experiments.ts'
import { type StartFlags, startExperiment } from './start-experiment.ts'
import { goalMark, harmless } from './wording.ts'

/** `throughline experiment …`: runs, shows, pauses and stops experiments. */
export function experimentCommand(experiment: Command): void {
  const add = adderFor(experiment, 'whose experiments')
  const runHelp = 'runs a plan: a module in TypeScript or JavaScript, or JSON'
  withStartOptions(add('run <plan>', runHelp, { makesDatabase: true }))
    .option('--id <id>', 'what the experiment is called; default: a new name')
    .action(async (file: string, options: StartFlags & { readonly id?: string }) => {
      const { loadPlan } = await import('./load-plan.ts')
      const plan = await loadPlan(file, options)
      const id = options.id ?? newId(plan.name)
      await startExperiment(options, { id, plan, file }, (experiments, signal) =>
        experiments.run(plan, { id, signal }),
      )
    })
  const resumeHelp =
    'goes on with one that is paused, or whose process is gone; its code must be named again'
  withStartOptions(add('resume <id> [plan]', resumeHelp)).action(
    async (id: string, file: string | undefined, options: StartFlags) => {
      const { loadPlan } = await import('./load-plan.ts')
      const plan =
        file === undefined ? await storedPlan(id, options) : await loadPlan(file, options)
      await startExperiment(options, { id, plan, file }, (experiments, signal) =>
        experiments.resume(plan, id, { signal }),
      )
    },
  )
  add('list', 'the experiments of a database').action(async (options: LogOptions) => {
    for (const one of await lookAtExperiments(options, experiments => experiments.list()))
      print(summaryLine(one))
  })
  add('show <id>', 'where an experiment stands: its roles, goals and variables').action(
    async (id: string, options: LogOptions) => {
      const [view] = await lookAtExperiments(options, async experiments => [
        await experiments.show(id),
      ])
      for (const line of viewLines(view!)) print(line)
    },
  )
  add('history <id>', 'all that a role was told and has said')
    .requiredOption('--role <name>', 'whose history')
    .action(async (id: string, options: LogOptions & { readonly role: string }) => {
      const messages = await readExperiments(options, experiments =>
        experiments.history(id, options.role),
      )
      for (const [seq, message] of messages.entries()) print(harmless(messageLine(message, seq)))
    })
  for (const [wish, does] of [['pause', 'pauses'] as const, ['stop', 'ends'] as const])
    add(`${wish} <id>`, `${does} an experiment before the next role acts`).action((id, options) =>
      settle(id, wish, options),
    )
}

const withStartOptions = (command: Command) =>
  command
    .option('--model <name>', 'for every role: reader, ollama:<model> or openai:<base URL>#<model>')
    .option(
      '--lease <seconds>',
      'how long it stays taken when this process dies',
      wholeNumber(1, 86_400),
      30,
    )

function newId(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return `${words || 'experiment'}-${randomBytes(3).toString('hex')}`
}

/** Loads the plan from the database: only a plan that came as JSON is there. */
async function storedPlan(id: string, options: StartFlags): Promise<ExperimentPlan> {
  const { plan } = await readExperiments(options, experiments => experiments.show(id))
  const { loadStoredPlan } = await import('./load-plan.ts')
  if (plan !== undefined) return loadStoredPlan(id, plan, options)
  const where = `say where it is, throughline experiment resume ${id} <plan>`
  throw new UserError(`the plan of "${id}" is code, which is not stored: ${where}`)
}

function summaryLine({ id, name, status, steps, maxSteps, result }: ExperimentSummary): string {
  const end = result === undefined ? '' : `  ${harmless(result)}`
  return `${harmless(id)}  ${harmless(name)}  ${status}  step ${steps} of ${maxSteps}${end}`
}

function viewLines(view: ExperimentView): readonly string[] {
  const { id, name, status, result, steps, maxSteps, roles, goals, environment, snapshots } = view
  const start = snapshots[0]?.environment ?? {}
  return [
    `${harmless(name)} (${harmless(id)})`,
    `${status}${result === undefined ? '' : `: ${harmless(result)}`}`,
    `${steps} of ${plural(maxSteps, 'step')}`,
    `roles: ${roles.map(role => harmless(role)).join(', ')}`,
    ...goals.map(goal => `${goalMark(goal)} ${harmless(goal.description)}`),
    ...Object.entries(environment).map(([variable, value]) => {
      const before = JSON.stringify(start[variable])
      const now = JSON.stringify(value)
      return `${harmless(variable)} = ${harmless(now)}${before === now ? '' : ` (began as ${harmless(before)})`}`
    }),
  ]
}

const done: Readonly<Record<Wish, string>> = { pause: 'is paused', stop: 'is stopped' }

/** Pauses or stops an experiment, also one of another process. */
async function settle(id: string, wish: Wish, options: LogOptions): Promise<void> {
  const willDo = `${id} will ${wish} before the next role acts`
  try {
    const outcome = await writeExperiments(options, {}, experiments => experiments[wish](id))
    print(outcome === 'done' ? `${id} ${done[wish]}` : willDo)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store_locked') throw error
    const { status, result } = await readExperiments(options, experiments => experiments.show(id))
    if (result !== undefined) throw new UserError(`${id} has ended as ${status}`)
    // Asks the process that writes to the file, if it is a command of ours.
    const runner = leaveWishInFile(options.db, id, wish)
    if (!runner) throw error
    const { pid, id: running } = runner
    if (running !== id)
      throw new UserError(
        `${options.db} is in use by process ${pid}, which runs ${running}: try again later`,
      )
    print(`${willDo} (process ${pid} was asked)`)
  }
}
