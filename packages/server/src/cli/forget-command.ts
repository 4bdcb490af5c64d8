import { present } from '@throughline/core/values'
import type { Command } from 'commander'
import { askServer, type ServerFlags, withServer } from './ask-server.ts'
import { type DeletionOptions, mayDelete, sayDeleted, withDeletionOptions } from './may-delete.ts'
import { checkDatabase, type LogOptions, withDatabase, writeHistory } from './open-log.ts'
import { UserError } from './print.ts'

interface ForgetOptions extends LogOptions, DeletionOptions, ServerFlags {
  readonly person?: string
  readonly actor?: string
  readonly all?: boolean
}

/** `throughline forget`: deletes conversations whole, with all that was made of them. */
export function forgetCommand(forget: Command): void {
  const command = withDatabase(withDeletionOptions(forget))
    .argument('[conversation]', 'one conversation')
    .option('--person <name>', 'every conversation of this person')
    .option('--actor <name>', 'every conversation in which this actor has a thread')
    .option('--all', 'every conversation of the tenant')
    .option('--tenant <name>', 'whose conversations; with --server: those of the key', 'default')
  withServer(command).action(async (conversation: string | undefined, options: ForgetOptions) => {
    const { person, actor, all } = options
    const ways = [conversation, person, actor, all].filter(way => way !== undefined)
    // An empty name is a variable that was never set.
    if (ways.length !== 1 || ways[0] === '')
      throw new UserError(
        'say what to forget: a conversation, --person <name>, --actor <name>, or --all',
      )
    const ask = options.server === undefined ? inDatabase : onServer
    const forget = async (dryRun: boolean) => {
      const deleted = await ask(conversation, options, dryRun)
      if (conversation !== undefined && deleted.length === 0)
        throw new UserError(`there is no conversation "${conversation}"`)
      return { deleted }
    }
    if (await mayDelete(options, () => forget(true))) sayDeleted(await forget(false), 'forgot')
  })
}

type Forget = (
  id: string | undefined,
  options: ForgetOptions,
  dryRun: boolean,
) => Promise<readonly string[]>

const inDatabase: Forget = async (conversation, { person, actor, ...options }, dryRun) => {
  checkDatabase(options.db)
  return writeHistory(options, async history => {
    if (conversation === undefined) return history.deleteAll({ person, actor, dryRun })
    return (await history.delete(conversation, { dryRun })) ? [conversation] : []
  })
}

const onServer: Forget = async (conversation, { server, key, person, actor }, dryRun) => {
  const ask = askServer(server!, key, '/conversations')
  const query = new URLSearchParams({
    ...(dryRun && { dryRun: 'true' }),
    ...present({ person, actor }),
  })
  if (conversation !== undefined)
    return (await ask('DELETE', `/${encodeURIComponent(conversation)}?${query}`)).ok
      ? [conversation]
      : []
  if (person === undefined && actor === undefined) query.set('all', 'true')
  return ((await (await ask('DELETE', `?${query}`)).json()) as { deleted: readonly string[] })
    .deleted
}
