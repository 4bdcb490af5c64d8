import type { ExperimentSummary, ExperimentView } from '../../experiment/index.ts'
import { plural } from '../../log/line.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { AddCommand, LogOptions } from '../log/open-log.ts'
import { print } from '../print.ts'
import { lookAtExperiments, readExperiments } from './open-experiments.ts'
import { goalMark, harmless } from './wording.ts'

/** Commands that only read experiments. */
export function addLookCommands(add: AddCommand): void {
  add('list', 'the experiments of a database').action(async (options: LogOptions) => {
    for (const one of await lookAtExperiments(options, experiments => experiments.list()))
      print(summaryLine(one))
  })
  add('show <id>', 'where an experiment stands: its roles, goals and variables').action(
    async (id: string, options: LogOptions) => {
      const [view] = await lookAtExperiments(options, async experiments => [await experiments.show(id)])
      for (const line of viewLines(view!)) print(line)
    },
  )
  add('history <id>', 'all that a role was told and has said')
    .requiredOption('--role <name>', 'whose history')
    .action((id: string, options: LogOptions & { readonly role: string }) =>
      readExperiments(options, async experiments => {
        for (const [seq, message] of (await experiments.history(id, options.role)).entries())
          print(messageLine(message, seq))
      }),
    )
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

function messageLine(message: MessageLike, seq: number): string {
  const { role, text, calls, results } = readMessage(message, seq)
  const [name] = results.flatMap(result => (result.name === undefined ? [] : [` ${result.name}`]))
  const made = calls.map(call => `→ ${call.name}(${call.arguments})`)
  const said = [text, ...made].filter(part => part !== '')
  return harmless(`${role}${name ?? ''}: ${said.join(' ')}`)
}
