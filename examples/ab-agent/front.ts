/** Stands before the instances: gives out the page, and sends each request to the next instance in turn. */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceOptions } from './instance.ts'

export interface Front {
  fetch(request: Request): Promise<Response>
  close(): void
}

interface Instance {
  readonly child: ChildProcess
  readonly url: string
}

export interface FrontOptions extends Omit<InstanceOptions, 'number'> {
  /** The folder of the built page. */
  readonly page: string
}

export async function startFront({ page, ...options }: FrontOptions): Promise<Front> {
  const instances = new Map<number, Instance>()
  let isClosed = false
  let turn = 0
  await Promise.all([1, 2].map(start))

  /** Starts an instance, and a new one in its place when it ends. */
  async function start(number: number): Promise<void> {
    // Node 20 runs no TypeScript by itself: jiti does.
    const child = fork(jiti, [
      join(import.meta.dirname, 'instance.ts'),
      JSON.stringify({ ...options, number }),
    ])
    const port = await new Promise<number>((listens, failed) => {
      child.once('message', ({ port }: { port: number }) => listens(port))
      child.once('exit', () => failed(new Error(`Instance ${number} did not start.`)))
    })
    instances.set(number, { child, url: `http://127.0.0.1:${port}` })
    child.once('exit', async () => {
      instances.delete(number)
      await sleep(1_000)
      if (!isClosed) await start(number)
    })
  }

  /** The instances that run, beginning with the one whose turn it is. */
  function inTurn(): readonly Instance[] {
    turn = turn === 1 ? 2 : 1
    return [turn, 3 - turn].flatMap(number => instances.get(number) ?? [])
  }

  async function pass(request: Request): Promise<Response> {
    const { method, headers, signal } = request
    if (Number(headers.get('content-length')) > mostBytes)
      return new Response('Too long', { status: 413 })
    const body = method === 'POST' ? await request.arrayBuffer() : null
    const { pathname, search } = new URL(request.url)
    for (const { url } of inTurn()) {
      try {
        const type = { 'content-type': 'application/json' }
        return await fetch(`${url}${pathname}${search}`, { method, headers: type, body, signal })
      } catch (error) {
        if (signal.aborted) throw error
        // It has just been killed: the other one answers. A message that it had taken already is known by its key.
      }
    }
    return new Response('No instance runs at the moment: try again.', { status: 503 })
  }

  function kill(number: number): Response {
    instances.get(number)?.child.kill('SIGKILL')
    return new Response(null, { status: 204 })
  }

  return {
    async fetch(request) {
      const { pathname, host, origin } = new URL(request.url)
      // Only this page, at this machine's own address: no other page may talk to the agent.
      const isOwn = [null, origin].includes(request.headers.get('origin'))
      if (!isOwn || !/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host))
        return new Response(null, { status: 403 })
      if (pathname === '/api/instances' && request.method === 'GET')
        return Response.json(
          [...instances].map(([number, { child }]) => ({ number, pid: child.pid })),
        )
      const [, doomed] = /^\/api\/instances\/([12])\/kill$/.exec(pathname) ?? []
      if (doomed && request.method === 'POST') return kill(Number(doomed))
      return pathname.startsWith('/api/') ? pass(request) : file(page, pathname)
    },
    close() {
      isClosed = true
      for (const { child } of instances.values()) child.kill()
    },
  }
}

const jiti = join(
  createRequire(import.meta.url).resolve('jiti/package.json'),
  '../lib/jiti-cli.mjs',
)

const mostBytes = 4_000_000

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** A file of the page. Names with anything but letters, numbers and dashes are not looked for. */
function file(folder: string, pathname: string): Response {
  const name = pathname === '/' ? 'index.html' : pathname.slice(1)
  const path = join(folder, name)
  if (!/^(assets\/)?[\w-]+\.[a-z]+$/.test(name) || !existsSync(path))
    return new Response('Not found', { status: 404 })
  const type = types[extname(path)] ?? 'application/octet-stream'
  return new Response(readFileSync(path), { headers: { 'content-type': type } })
}
