import { plural } from '../../log/line.ts'
import { print } from '../print.ts'
import { UserError } from '../user-error.ts'
import { type AddCommand, type LogOptions, readHistory, withStore, writeHistory } from './open-log.ts'

/** Commands that check and clean a database. */
export function addKeepCommands(add: AddCommand): void {
  add('delete <conversation>', 'deletes a conversation whole').action(
    (conversation: string, options: LogOptions) =>
      writeHistory(options, async history => {
        if (!(await history.delete(conversation)))
          throw new UserError(`there is no conversation "${conversation}"`)
        print(`deleted ${conversation}`)
      }),
  )
  add('retain', 'deletes what is older than it should be kept')
    .option('--conversations <days>', 'conversations that were not used for so many days')
    .option('--calls <days>', 'records of model calls that are older; the log itself stays')
    .action((options: LogOptions & { readonly conversations?: string; readonly calls?: string }) =>
      writeHistory(options, async history => {
        const [conversationsMs, callsMs] = [toMs(options.conversations), toMs(options.calls)]
        if (conversationsMs === undefined && callsMs === undefined)
          throw new UserError('say what to delete: --conversations <days>, --calls <days>, or both')
        const { deleted, calls } = await history.retain({
          ...(conversationsMs !== undefined && { conversationsMs }),
          ...(callsMs !== undefined && { callsMs }),
        })
        for (const conversation of deleted) print(`deleted ${conversation}`)
        print(`${plural(deleted.length, 'conversation')} and ${plural(calls, 'call')} deleted`)
      }),
    )
  add('check', 'whether the database keeps its promises')
    .option('--rebuild', 'also makes anew what is derived from the log: checkpoints, the index of words')
    .action((options: LogOptions & { readonly rebuild?: boolean }) => {
      const rebuild = options.rebuild === true
      const open = rebuild ? writeHistory : readHistory
      return open(options, async history => {
        const problems = await history.check({ rebuild })
        for (const problem of problems) print(problem)
        if (problems.length > 0)
          throw new UserError(
            plural(problems.length, 'problem') +
              (rebuild ? '; what is derived from the log is made anew' : ''),
          )
        print('all is well')
      })
    })
  add('migrate', 'brings the schema up to date')
    .option('--dry-run', 'only says what would be done')
    .action((options: LogOptions & { readonly dryRun?: boolean }) =>
      withStore(options, false, async store => {
        const steps = await store.migrate({ dryRun: options.dryRun === true })
        for (const step of steps) print(step)
        if (steps.length === 0) print('the schema is up to date')
      }),
    )
}

const dayMs = 24 * 60 * 60 * 1000

function toMs(days: string | undefined): number | undefined {
  if (days === undefined) return undefined
  const number = Number(days)
  if (!(number >= 0)) throw new UserError(`expected a number of days, got "${days}"`)
  return number * dayMs
}
