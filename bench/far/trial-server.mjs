import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { cpuOf, memoryOf } from '../proxy/subjects.mjs'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const loopDelay = new URL('./loop-delay.mjs', import.meta.url).href

/** The model server, a process of its own. */
export async function startEcho(streamsMs) {
  const file = fileURLToPath(new URL('./trial-upstream.mjs', import.meta.url))
  const child = spawn(process.execPath, [file, String(streamsMs)])
  const [line] = await once(child.stdout, 'data')
  return {
    url: String(line).trim(),
    async stop() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** A server as users start it, on a port that stays when it is started again. */
export async function startTrialServer(flags) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let [cpuMs, mostMB] = [0, 0]
  const loops = []
  let child
  let said = ''

  async function start() {
    const args = ['--import', loopDelay, main, 'serve', '--port', String(port), ...flags]
    child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', chunk => {
      said = (said + chunk).slice(-20_000)
      for (const [, json] of String(chunk).matchAll(/loop-delay (.*)/g))
        loops.push(JSON.parse(json))
    })
    await new Promise((resolve, reject) => {
      child.stderr.on('data', () => /listens at/.test(said) && resolve())
      child.once('exit', () => reject(new Error(`The server did not start: ${said.slice(-2_000)}`)))
    })
  }

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return
    look()
    cpuMs += cpuOf(child.pid)
    child.kill(signal)
    await once(child, 'exit')
    said = ''
  }

  const look = () => {
    if (child.exitCode === null && child.signalCode === null)
      mostMB = Math.max(mostMB, memoryOf(child.pid))
  }
  await start()
  return {
    url,
    look,
    stop: () => end('SIGTERM'),
    async crash() {
      await end('SIGKILL')
      await start()
    },
    used: () => ({ cpuSeconds: Math.round(cpuMs / 1000), mostMB: Math.round(mostMB), loops }),
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
