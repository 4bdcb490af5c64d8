import type { Command } from 'commander'
import { createKeys, type KeyRecord, type Keys, type NewKey } from '../auth/create-keys.ts'
import { askServer, type ServerFlags, withServer } from './ask-server.ts'
import { checkDatabase, type DatabaseOptions, withDatabase, withStore } from './open-log.ts'
import { print, UserError } from './print.ts'

type KeysOptions = DatabaseOptions & ServerFlags

type CreateOptions = KeysOptions & Pick<NewKey, 'tenant' | 'person'> & { readonly scopes: string }

/** `throughline keys …`: makes, lists and revokes the keys that clients of the server send. */
export function keysCommand(keys: Command): void {
  const add = (name: string, description: string) =>
    withServer(withDatabase(keys.command(name).description(description)))

  add('create <name>', 'makes a key and prints it, once; the name says whose it is')
    .option(
      '--scopes <list>',
      'what it may do, with commas: chat, read, inspect, admin, metrics',
      'chat',
    )
    .option(
      '--tenant <name>',
      'whose conversations (default: "default"; with --server: that of --key)',
    )
    .option('--person <name>', 'who speaks with it (default: whom a request names)')
    .action(async (name: string, { scopes, tenant, person, ...options }: CreateOptions) => {
      const list = scopes.split(',').map(scope => scope.trim()) as NonNullable<NewKey['scopes']>
      const wanted = { name, scopes: list, tenant, person }
      const { key, record } = await onKeys(options, 'create', keys => keys.create(wanted))
      print(describe(record))
      print(key)
    })
  add(
    'list',
    'all keys, the oldest first: id, time, tenant, scopes, @person if it speaks for one, name',
  ).action(async (options: KeysOptions) => {
    for (const record of await onKeys(options, 'read', keys => keys.list())) print(describe(record))
  })
  add('revoke <id>', 'makes a key useless, within seconds on every server').action(
    async (id: string, options: KeysOptions) => {
      if (!(await onKeys(options, 'write', keys => keys.revoke(id))))
        throw new UserError(`there is no key "${id}"; "throughline keys list" lists them`)
      print(`revoked ${id}`)
    },
  )
}

/** A person is named by `@`, as names of keys and of persons may be the same. */
const describe = ({ id, tenant, person, scopes, created, name }: KeyRecord) =>
  [
    id,
    new Date(created).toISOString(),
    tenant,
    scopes.join(','),
    ...(person === undefined ? [] : [`@${person}`]),
    name,
  ].join('  ')

type ManagedKeys = Pick<Keys, 'create' | 'list' | 'revoke'>

async function onKeys<T>(
  { server, key, db }: KeysOptions,
  what: 'create' | 'read' | 'write',
  use: (keys: ManagedKeys) => Promise<T>,
): Promise<T> {
  if (server !== undefined) return use(keysOfServer(server, key))
  if (what !== 'create') checkDatabase(db)
  return withStore(db, what === 'read', store => use(createKeys(store)))
}

function keysOfServer(server: string, key: string | undefined): ManagedKeys {
  const ask = askServer(server, key, '/keys')
  return {
    async create(wanted) {
      const { key, ...record } = (await (await ask('POST', '', wanted)).json()) as KeyRecord & {
        key: string
      }
      return { key, record }
    },
    list: async () => ((await (await ask('GET')).json()) as { keys: readonly KeyRecord[] }).keys,
    revoke: async id => (await ask('DELETE', `/${encodeURIComponent(id)}`)).ok,
  }
}
