import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { plural } from '@throughline/core/values'
import {
  ExportError,
  type Imported,
  type ImportOptions,
  ImportStoppedError,
  InvalidImportError,
} from '@throughline/history/transfer'
import { isPostgres } from '@throughline/stores/store'
import type { Command } from 'commander'
import { checkNamed } from '../auth/named-person.ts'
import { listTenants } from '../auth/tenants.ts'
import { type ServerFlags, withServer } from './ask-server.ts'
import { addContextCommands } from './context-commands.ts'
import { addHandCommands } from './hand-commands.ts'
import { intoDatabase, intoServer } from './import-into.ts'
import { type DeletionOptions, mayDelete, sayDeleted, withDeletionOptions } from './may-delete.ts'
import { messageLine } from './message-line.ts'
import { age, wholeNumber } from './number-option.ts'
import type { AddCommand, LogOptions, TenantsOptions } from './open-log.ts'
import {
  adderFor,
  historiesOf,
  onThread,
  readHistory,
  withAllTenants,
  withStore,
  withThread,
  writeHistory,
} from './open-log.ts'
import { print, printError, printText, UserError } from './print.ts'
import { forTerminal } from './style.ts'

/** `throughline log …`: reads a database of conversations, and keeps it in order. */
export function logCommand(log: Command): void {
  const add = adderFor(log, 'whose conversations')
  addLookCommands(add)
  addTransferCommands(add)
  addKeepCommands(add)
  addHandCommands(add)
}

function addLookCommands(add: AddCommand): void {
  add('tenants', 'the tenants that have conversations').action((options: LogOptions) =>
    withStore(options.db, true, async store => {
      for (const tenant of await listTenants(store)) print(tenant)
    }),
  )
  withAllTenants(add('list', 'the conversations, the last used first')).action(
    (options: TenantsOptions) =>
      readHistory(options, async everybodys => {
        let count = 0
        for (const { history, nameOf } of await historiesOf(everybodys, options))
          for (const { conversation, updatedAt, title, threads } of await history.conversations()) {
            const lines = threads
              .map(({ actor, branch, head }) => `${actor}/${branch} ${head}`)
              .join(', ')
            const named = title === undefined ? '' : `  ${JSON.stringify(title)}`
            print(`${nameOf(conversation)}  ${new Date(updatedAt).toISOString()}  ${lines}${named}`)
            count += 1
          }
        const others = count > 0 ? [] : await listTenants(everybodys.store)
        if (others.length > 0)
          printError(
            `tenant "${options.tenant}" has no conversation; others have: ${others.slice(0, 20).join(', ')} (--tenant <name>, or --all-tenants)`,
          )
      }),
  )
  withThread(add('show <conversation>', 'what a user may see of a thread'))
    .option('-n, --last <messages>', 'only the newest ones, this many', wholeNumber())
    .option('--places', 'with their places, by which pin, hide and erase name them')
    .action(
      onThread(
        async (thread, { last, places }: { readonly last?: number; readonly places?: boolean }) => {
          for (const message of await thread.display({ limit: last }))
            printText(`${places ? `#${message.seq} ` : ''}${messageLine(message, message.seq)}\n`)
        },
      ),
    )
  addContextCommands(add)
  add('search <words>', 'messages that have these words, the best first, as a user may see them')
    .option('--all', 'also in notes, in calls that write them and in the data of the application')
    .action((words: string, options: LogOptions & { readonly all?: boolean }) =>
      readHistory(options, async history => {
        const scope = options.all ? 'everything' : 'shown'
        for (const { thread, seq, role, snippet } of await history.search(words, { scope }))
          print(
            `${thread.conversation}/${thread.actor}/${thread.branch} #${seq} ${role}: ${snippet}`,
          )
      }),
    )
}

function addTransferCommands(add: AddCommand): void {
  add('export [conversation]', 'a conversation, or all, as lines of JSON; notes are in it')
    .option('-o, --out <file>', 'a new file instead of the standard output')
    .action((conversation: string | undefined, options: LogOptions & { readonly out?: string }) =>
      readHistory(options, async history => {
        let count = 0
        let unread: ExportError | undefined
        async function* lines() {
          const exported =
            conversation === undefined ? history.exportAll() : history.export(conversation)
          try {
            for await (const line of exported) {
              count += 1
              yield `${line}\n`
            }
          } catch (error) {
            // Told when the rest is written.
            if (!(error instanceof ExportError)) throw error
            unread = error
          }
          if (conversation !== undefined && count === 0)
            throw new UserError(`there is no conversation "${conversation}"`)
        }
        const { out } = options
        if (out === undefined) await pipeline(lines, shown, process.stdout, { end: false })
        else await pipeline(lines, createWriteStream(out, { flags: 'wx' })).catch(asUserError(out))
        if (unread) throw unread
      }),
    )
  withServer(add('import [files...]', importHelp, { makesDatabase: true }))
    .option('--as <name>', 'the name that the conversation gets here')
    .option(
      '--person <name>',
      'whose they are: with --remember person, their other conversations quote them',
    )
    .action(async (files: readonly string[], options: ImportFlags) => {
      const { as, person } = options
      if (as !== undefined && files.length > 1)
        throw new UserError('--as names one conversation: give one file')
      if (person !== undefined) checkNamed(person)
      const onto = options.server === undefined ? intoDatabase : intoServer
      await onto(options, async importFrom => {
        if (files.length === 0) print(describeImport(await importFrom(undefined)))
        const refused: string[] = []
        for (const file of files) {
          try {
            print(`${file}: ${describeImport(await importFrom(file).catch(withFile(file)))}`)
          } catch (error) {
            // One file among many does not keep the others out.
            if (
              files.length === 1 ||
              !(error instanceof UserError) ||
              error.cause instanceof ImportStoppedError
            )
              throw error
            printError(error.message)
            refused.push(file)
          }
        }
        if (refused.length > 0)
          throw new UserError(
            `${refused.length} of ${plural(files.length, 'file')} could not be imported`,
          )
      })
    })
  add('backup <file>', 'a whole copy of an SQLite file, also while a server writes to it').action(
    async (to: string, { db }: LogOptions) => {
      const advice =
        'backup copies SQLite files; use pg_dump for PostgreSQL, or "throughline log export"'
      if (isPostgres(db)) throw new UserError(advice)
      const { backupSqlite } = await import('@throughline/stores/sqlite')
      const { bytes } = await backupSqlite({ path: db, to })
      print(`copied ${plural(bytes, 'byte')} to ${to}`)
    },
  )
}

type ImportFlags = LogOptions & ServerFlags & ImportOptions

const importHelp =
  'exports of ours, message lists, and chats of ChatGPT (also as a ZIP), Claude, Open WebUI, LibreChat, Claude Code, Codex, Qwen Code, opencode, pi, Continue, Cline, SillyTavern'

const withFile = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.syscall !== undefined) throw new UserError(`cannot read ${file}: ${error.message}`)
  const isAboutIt = error instanceof InvalidImportError || error instanceof ImportStoppedError
  throw isAboutIt ? new UserError(`${file}: ${error.message}`, { cause: error }) : error
}

function describeImport({
  format,
  conversations,
  deleted,
  entries,
  added,
  calls,
}: Imported): string {
  const counts = `entries: ${entries} (new: ${added}), calls: ${calls}`
  const gone = deleted.length === 0 ? '' : `; deleted here before, and left so: ${deleted.length}`
  return `imported from ${format}: ${plural(conversations.length, 'conversation')}, ${counts}${gone}`
}

/** The same JSON with escaped control characters, safe for a terminal. */
async function* shown(lines: AsyncIterable<string>) {
  for await (const line of lines) yield forTerminal(line)
}

const asUserError = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EEXIST') throw new UserError(`${file} is there already: choose a new name`)
  throw error
}

function addKeepCommands(add: AddCommand): void {
  withAllTenants(withDeletionOptions(add('retain', 'deletes what is older than it should be kept')))
    .option('--conversations <days>', 'conversations that were not used for this many days', age)
    .option('--calls <days>', 'records of model calls that are older; the log itself stays', age)
    .action(({ conversations, calls, ...options }: RetainFlags) =>
      writeHistory(options, async everybodys => {
        if (conversations === undefined && calls === undefined)
          throw new UserError('say what to delete: --conversations <days>, --calls <days>, or both')
        const what = { conversationsMs: conversations, callsMs: calls }
        const retain = async (dryRun: boolean) => {
          const deleted: string[] = []
          let count = 0
          for (const { history, nameOf } of await historiesOf(everybodys, options)) {
            const retained = await history.retain({ ...what, dryRun })
            for (const conversation of retained.deleted) deleted.push(nameOf(conversation))
            count += retained.calls
          }
          return {
            deleted,
            also: ` and ${plural(count, 'call')}`,
            isNothing: deleted.length + count === 0,
          }
        }
        if (await mayDelete(options, () => retain(true))) sayDeleted(await retain(false))
      }),
    )
  add('check', 'whether the database keeps its promises')
    .option(
      '--rebuild',
      'also makes anew what is derived from the log: checkpoints, the index of words',
    )
    .action((options: LogOptions & { readonly rebuild?: boolean }) => {
      const rebuild = options.rebuild === true
      const open = rebuild ? writeHistory : readHistory
      return open(options, async history => {
        const problems = await history.check({ rebuild })
        for (const problem of problems) print(problem)
        if (problems.length > 0)
          throw new UserError(`${plural(problems.length, 'problem')}${rebuild ? rebuilt : ''}`)
        const { length } = await history.conversations({ limit: 1 })
        print(
          length > 0
            ? 'all is well'
            : `nothing to check: tenant "${options.tenant}" has no conversation`,
        )
      })
    })
  add('migrate', 'brings the schema up to date')
    .option('--dry-run', 'only says what would be done')
    .action((options: LogOptions & { readonly dryRun?: boolean }) =>
      withStore(options.db, false, async store => {
        const steps = await store.migrate({ dryRun: options.dryRun === true })
        for (const step of steps) print(step)
        if (steps.length === 0) print('the schema is up to date')
      }),
    )
}

type RetainFlags = TenantsOptions & DeletionOptions & { conversations?: number; calls?: number }

const rebuilt = '; what is derived from the log is made anew'
