import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = path => fileURLToPath(new URL(path, import.meta.url))

/** A process that says its address on stdout, and is ended with the benchmark. */
export async function startUpstream(slowMs = 0) {
  const child = spawn(process.execPath, [here('./upstream.mjs'), String(slowMs)])
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), pid: child.pid, stop: () => stop(child) }
}

/** The subjects: each is a process of its own between the client and the upstream. */
export const subjects = {
  async throughline(upstream, more = []) {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'))
    const port = await freePort()
    const flags = [
      '--port',
      port,
      '--db',
      join(folder, 'log.db'),
      '--upstream',
      `${upstream}/v1`,
      ...more,
    ]
    const child = spawn(
      process.execPath,
      [
        here('../../dist/main.js'),
        'serve',
        ...flags,
        '--log-level',
        'warn',
        '--max-streams',
        '1000',
      ].map(String),
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const url = `http://127.0.0.1:${port}`
    await untilReady(`${url}/health`, child)
    return {
      url: `${url}/v1/chat/completions`,
      headers: {},
      pid: child.pid,
      async stop() {
        await stop(child)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
  async portkey(upstream) {
    const port = await freePort()
    const main = here('../node_modules/@portkey-ai/gateway/build/start-server.js')
    const env = { ...process.env, TRUSTED_CUSTOM_HOSTS: '127.0.0.1', NODE_ENV: 'production' }
    const child = spawn(process.execPath, [main, `--port=${port}`, '--headless'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const url = `http://127.0.0.1:${port}`
    await untilReady(`${url}/`, child)
    return {
      url: `${url}/v1/chat/completions`,
      headers: {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstream}/v1`,
        authorization: 'Bearer none',
      },
      pid: child.pid,
      stop: () => stop(child),
    }
  },
}

/** The memory of a process in MB. */
export function memoryOf(pid) {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** The CPU time that a process has taken, in milliseconds. */
export function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  // Linux counts them in hundredths of a second.
  return (Number(user) + Number(system)) * 10
}

async function stop(child) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 3000)
  await ended
  clearTimeout(late)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Waits for as long as the process lives: on a busy machine a start can take a minute. */
async function untilReady(url, child) {
  let said = ''
  child.stderr.on('data', chunk => {
    said = `${said}${chunk}`.slice(-2000)
  })
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const response = await fetch(url)
      await response.arrayBuffer()
      return
    } catch {
      await wait(50)
    }
  }
  throw new Error(`nothing answers at ${url}: ${said.trim() || 'its process has ended'}`)
}
