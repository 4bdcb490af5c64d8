import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { plural } from '../../log/line.ts'
import { print } from '../print.ts'
import { forTerminal } from '../style.ts'
import { UserError } from '../user-error.ts'
import { type AddCommand, isPostgres, type LogOptions, readHistory, writeHistory } from './open-log.ts'

/** Commands that export conversations from a database and import them. */
export function addTransferCommands(add: AddCommand): void {
  add('export [conversation]', 'a conversation, or all, as lines of JSON; notes are in it')
    .option('-o, --out <file>', 'a new file instead of the standard output')
    .action((conversation: string | undefined, options: LogOptions & { readonly out?: string }) =>
      readHistory(options, async history => {
        let count = 0
        async function* lines() {
          const exported = conversation === undefined ? history.exportAll() : history.export(conversation)
          for await (const line of exported) {
            count += 1
            yield `${line}\n`
          }
          if (conversation !== undefined && count === 0)
            throw new UserError(`there is no conversation "${conversation}"`)
        }
        const { out } = options
        if (out === undefined) await pipeline(lines, shown, process.stdout, { end: false })
        else await pipeline(lines, createWriteStream(out, { flags: 'wx' })).catch(asUserError(out))
      }),
    )
  add('import [file]', 'the lines of an export, from a file or the standard input', { makesDatabase: true })
    .option('--as <name>', 'the name that the conversation gets here')
    .action((file: string | undefined, options: LogOptions & { readonly as?: string }) =>
      writeHistory(options, async history => {
        const input: Readable = file === undefined ? process.stdin : createReadStream(file)
        const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
        const failed = new Promise<never>((_, reject) => {
          input.on('error', error => reject(new UserError(`cannot read ${file}: ${error.message}`)))
        })
        const { as } = options
        const imported = history.import(lines, as === undefined ? {} : { as })
        const { conversations, entries, calls } = await Promise.race([imported, failed])
        const all = [plural(conversations.length, 'conversation'), `entries: ${entries}`, `calls: ${calls}`]
        print(`imported ${all.join(', ')}`)
      }),
    )
  add('backup <file>', 'a whole copy of an SQLite file, also while a server writes to it').action(
    async (to: string, { db }: LogOptions) => {
      if (isPostgres(db))
        throw new UserError(
          'backup copies SQLite files; use pg_dump for PostgreSQL, or "throughline log export"',
        )
      const { backupSqlite } = await import('../../stores/sqlite/sqlite-store.ts')
      const { bytes } = await backupSqlite({ path: db, to })
      print(`copied ${plural(bytes, 'byte')} to ${to}`)
    },
  )
}

/** The same JSON with escaped control characters, safe for a terminal. */
async function* shown(lines: AsyncIterable<string>) {
  for await (const line of lines) yield forTerminal(line)
}

const asUserError = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === 'EEXIST') throw new UserError(`${file} is there already: choose a new name`)
  throw error
}
