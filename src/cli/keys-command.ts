import type { Command } from 'commander'
import { present } from '../log/present.ts'
import { createKeys, type KeyRecord, type Keys, type NewKey } from '../server/auth/create-keys.ts'
import { askServer } from './ask-server.ts'
import { checkDatabase, isPostgres, withStore } from './open-log.ts'
import { print, UserError } from './print.ts'

interface KeysOptions {
  readonly db: string
  readonly store?: string
  readonly server?: string
  readonly key?: string
}

/** `throughline keys …`: makes, lists and revokes the keys that clients of the server send. */
export function keysCommand(keys: Command): void {
  const add = (name: string, description: string) =>
    keys
      .command(name)
      .description(description)
      .option('--db <path>', 'the SQLite file of the server', 'throughline.db')
      .option('--store <url>', 'the PostgreSQL database of the server, in place of a file')
      .option('--server <url>', 'ask a server that is running, in place of its database')
      .option('--key <key>', 'a key with the scope "admin", for --server; also THROUGHLINE_KEY')

  add('create <name>', 'makes a key and prints it, once; the name says whose it is')
    .option(
      '--scopes <list>',
      'what it may do: chat, read, inspect, admin, metrics, divided by commas',
      'chat',
    )
    .option(
      '--tenant <name>',
      'whose conversations it reaches (default: "default"; with --server: that of --key)',
    )
    .option('--person <name>', 'who speaks with it (default: whom a request names)')
    .action(
      async (name: string, options: KeysOptions & { scopes: string; tenant?: string; person?: string }) => {
        const scopes = options.scopes.split(',').map(scope => scope.trim()) as NonNullable<NewKey['scopes']>
        const { key, record } = await onKeys(options, 'create', found =>
          found.create({ name, scopes, ...present({ tenant: options.tenant, person: options.person }) }),
        )
        print(describe(record))
        print(key)
      },
    )
  add('list', 'all keys, the oldest first').action(async (options: KeysOptions) => {
    for (const record of await onKeys(options, 'read', found => found.list())) print(describe(record))
  })
  add('revoke <id>', 'makes a key useless, within seconds on every server').action(
    async (id: string, options: KeysOptions) => {
      if (!(await onKeys(options, 'write', found => found.revoke(id))))
        throw new UserError(`there is no key "${id}"; "throughline keys list" lists them`)
      print(`revoked ${id}`)
    },
  )
}

const describe = ({ id, tenant, scopes, created, name }: KeyRecord) =>
  `${id}  ${new Date(created).toISOString()}  ${tenant}  ${scopes.join(',')}  ${name}`

type ManagedKeys = Pick<Keys, 'create' | 'list' | 'revoke'>

async function onKeys<T>(
  { db, store: url, server, key = process.env.THROUGHLINE_KEY }: KeysOptions,
  what: 'create' | 'read' | 'write',
  use: (keys: ManagedKeys) => Promise<T>,
): Promise<T> {
  if (server !== undefined) return use(keysOfServer(server, key))
  if (url !== undefined && !isPostgres(url)) throw new UserError('--store must be an address: postgres://…')
  const open = { db: url ?? db, tenant: '' }
  if (what !== 'create') checkDatabase(open.db)
  return withStore(open, what === 'read', store => use(createKeys(store)))
}

/** The keys of a server that is running, by its API. */
function keysOfServer(server: string, key: string | undefined): ManagedKeys {
  const ask = askServer(server, key, '/keys')
  return {
    async create(wanted) {
      const { key, ...record } = (await (await ask('POST', '', wanted)).json()) as KeyRecord & { key: string }
      return { key, record }
    },
    list: async () => ((await (await ask('GET')).json()) as { keys: readonly KeyRecord[] }).keys,
    revoke: async id => (await ask('DELETE', `/${encodeURIComponent(id)}`)).ok,
  }
}
