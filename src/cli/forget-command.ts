import type { Command } from 'commander'
import { plural } from '../log/line.ts'
import { present } from '../log/present.ts'
import { askServer } from './ask-server.ts'
import { checkDatabase, type LogOptions, orAskServer, writeHistory } from './open-log.ts'
import { print, UserError } from './print.ts'

interface ForgetOptions extends LogOptions {
  readonly person?: string
  readonly actor?: string
  readonly all?: boolean
  readonly server?: string
  readonly key?: string
}

/** `throughline forget`: deletes conversations whole, with all that was made of them. */
export function forgetCommand(forget: Command): void {
  forget
    .argument('[conversation]', 'one conversation')
    .option('--person <name>', 'every conversation of this person')
    .option('--actor <name>', 'every conversation in which this actor has a thread')
    .option('--all', 'every conversation of the tenant')
    .option('--db <path>', 'an SQLite file, or the URL of a PostgreSQL database', 'throughline.db')
    .option('--tenant <name>', 'whose conversations; with --server: those of the key', 'default')
    .option('--server <url>', 'ask a server that is running, in place of its database')
    .option('--key <key>', 'a key with the scope "admin", for --server; also THROUGHLINE_KEY')
    .action(async (conversation: string | undefined, options: ForgetOptions) => {
      const { person, actor, all } = options
      if ([conversation, person, actor, all].filter(way => way !== undefined).length !== 1)
        throw new UserError('say what to forget: a conversation, --person <name>, --actor <name>, or --all')
      const deleted = await (options.server === undefined ? inDatabase : onServer)(conversation, options)
      if (conversation !== undefined && deleted.length === 0)
        throw new UserError(`there is no conversation "${conversation}"`)
      for (const one of deleted) print(`forgot ${one}`)
      if (conversation === undefined) print(`${plural(deleted.length, 'conversation')} forgotten`)
    })
}

type Forget = (conversation: string | undefined, options: ForgetOptions) => Promise<readonly string[]>

const inDatabase: Forget = async (conversation, { person, actor, ...options }) => {
  checkDatabase(options.db)
  return writeHistory(options, async history => {
    if (conversation === undefined) return history.deleteAll(present({ person, actor }))
    return (await history.delete(conversation)) ? [conversation] : []
  }).catch(orAskServer(options.db))
}

const onServer: Forget = async (conversation, { server, key, person, actor }) => {
  const ask = askServer(server!, key, '/conversations')
  if (conversation !== undefined)
    return (await ask('DELETE', `/${encodeURIComponent(conversation)}`)).ok ? [conversation] : []
  const given = Object.entries({ person, actor }).find(([, name]) => name !== undefined)
  const query = new URLSearchParams(given ? { [given[0]]: given[1]! } : { all: 'true' })
  return ((await (await ask('DELETE', `?${query}`)).json()) as { deleted: readonly string[] }).deleted
}
