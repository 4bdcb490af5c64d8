import type { Command } from 'commander'
import { createHistory, type History } from '../history/create-history.ts'
import { parseMessage } from '../log/parse-message.ts'
import type { Store } from '../stores/store.ts'
import { UserError } from './user-error.ts'

interface LogOptions {
  readonly db: string
  readonly tenant: string
  readonly actor: string
  readonly branch: string
  readonly window: string
  readonly dryRun?: boolean
}

/** `throughline log …`: looks into a database of conversations, and keeps it in order. */
export function addLogCommand(program: Command): void {
  const log = program
    .command('log')
    .description('look into a log: list, show, dump, search, delete, check, migrate')
  const add = (
    name: string,
    description: string,
    run: (options: LogOptions, ...rest: string[]) => Promise<void>,
  ) =>
    log
      .command(name)
      .description(description)
      .requiredOption('--db <path>', 'an SQLite file, or the URL of a PostgreSQL database')
      .option('--tenant <name>', 'whose conversations', 'default')
      .option('--actor <name>', 'whose thread', 'assistant')
      .option('--branch <name>', 'which line of the thread', 'main')
      .option('-w, --window <tokens>', 'dump: the window of the context', '4096')
      .option('--dry-run', 'migrate: only say what would be done')
      .action(async (...args: unknown[]) => {
        const options = args.at(-2) as LogOptions
        await run(options, ...(args.slice(0, -2) as string[]))
      })
  add('list', 'the conversations', options =>
    withHistory(options, async history => {
      for (const { conversation, updatedAt, threads } of await history.conversations()) {
        const lines = threads.map(({ actor, branch, head }) => `${actor}/${branch} ${head}`).join(', ')
        print(`${conversation}  ${new Date(updatedAt).toISOString()}  ${lines}`)
      }
    }),
  )
  add('show <conversation>', 'what a user may see of a thread', (options, conversation) =>
    withHistory(options, async history => {
      const { actor, branch } = options
      const messages = await history.thread(conversation!, { actor, branch }).display()
      if (messages.length === 0) throw new UserError(`there is no thread ${conversation}/${actor}/${branch}`)
      for (const [seq, message] of messages.entries()) {
        const { role, text } = parseMessage(message, seq)
        print(`${role}: ${text}`)
      }
    }),
  )
  add('dump <conversation>', 'what the model would see of it', (options, conversation) =>
    withHistory(options, async history => {
      const { actor, branch, window } = options
      process.stdout.write(
        await history.thread(conversation!, { actor, branch }).dump({ window: Number(window) }),
      )
    }),
  )
  add('search <words>', 'entries that have all of these words', (options, words) =>
    withHistory(options, async history => {
      for (const { thread, seq, role, snippet } of await history.search(words!)) {
        print(`${thread.conversation}/${thread.actor}/${thread.branch} #${seq} ${role}: ${snippet}`)
      }
    }),
  )
  add('delete <conversation>', 'deletes a conversation whole', (options, conversation) =>
    withHistory(options, async history => {
      if (!(await history.delete(conversation!)))
        throw new UserError(`there is no conversation "${conversation}"`)
      print(`deleted ${conversation}`)
    }),
  )
  add('check', 'whether the database keeps its promises', options =>
    withStore(options, async store => {
      const problems = await store.check()
      for (const problem of problems) print(problem)
      if (problems.length > 0) throw new UserError(`${problems.length} problems`)
      print('all is well')
    }),
  )
  add('migrate', 'brings the schema up to date', options =>
    withStore(options, async store => {
      const steps = await store.migrate({ dryRun: options.dryRun === true })
      print(steps.length === 0 ? 'the schema is up to date' : steps.join('\n'))
    }),
  )
}

const print = (line: string) => process.stdout.write(`${line}\n`)

function withHistory(options: LogOptions, use: (history: History) => Promise<void>): Promise<void> {
  return withStore(options, store => use(createHistory({ store, tenant: options.tenant })))
}

/** Opens the store that `--db` names; drivers are loaded only when they are needed. */
async function withStore({ db }: LogOptions, use: (store: Store) => Promise<void>): Promise<void> {
  const store = /^postgres(ql)?:/.test(db)
    ? (await import('../stores/postgres/postgres-store.ts')).postgresStore({ url: db })
    : (await import('../stores/sqlite/sqlite-store.ts')).sqliteStore({ path: db })
  try {
    await use(store)
  } finally {
    await store.close()
  }
}
