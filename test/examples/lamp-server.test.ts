import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveReader } from '@throughline/test-tools/chat-help'
import { memoryStore } from 'throughline/stores'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LampPart, LampView } from '../../examples/lamp/lamp.ts'
import { lampAnswer } from '../../examples/lamp/rules/lamp-answer.ts'
import { lampRules } from '../../examples/lamp/rules/lamp-rules.ts'
import { createLampServer } from '../../examples/lamp/server.ts'
import { startExample, stopExamples } from './start-example.ts'

const server = createLampServer({
  store: memoryStore(),
  model: lampRules({ pieceMs: 2 }),
  modelName: 'a few rules, not a model',
  isRules: true,
})
let url: string
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const json = { 'content-type': 'application/json' }
interface PostOptions {
  readonly at?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}
const post = (
  path: string,
  body: unknown,
  { at = url, headers = json, ...rest }: PostOptions = {},
) =>
  fetch(`${at}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...rest,
  })
const view = async (name: string) =>
  (await (await fetch(`${url}/lamps/${name}`)).json()) as LampView

/** The status of a request whose headers `fetch` would not let us choose. */
function statusWith(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((found, failed) => {
    const asked = send(`${url}/`, { headers }, response => found(response.resume().statusCode))
    asked.on('error', failed).end()
  })
}

describe('the server of the lamp', () => {
  it('serves the page with a strict policy, and nothing from outside of its folder', async () => {
    const page = await fetch(`${url}/`)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    )
    const html = await page.text()
    expect(html).not.toMatch(/<script>|<style|style=|onclick=/)
    for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g))
      expect((await fetch(`${url}/${path}`)).status).toBe(200)
    for (const path of [
      '/run.ts',
      '/../run.ts',
      '/%2e%2e/run.ts',
      '/page/index.html',
      '/constructor',
      '/lamps/',
    ])
      expect((await fetch(`${url}${path}`)).status).toBe(404)
  })

  it('streams the answer to a request, one line of JSON for each part', async () => {
    const response = await post('/lamps/ada', { request: 'blue waves' })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const parts = (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as LampPart)
    expect(parts[0]).toMatchObject({ type: 'decision', kind: 'new' })
    expect(parts.at(-1)).toMatchObject({
      type: 'program',
      summary: 'blue waves, 1 step: wave(#0000FF)',
    })
    expect((await view('ada')).program?.name).toBe('blue waves')
    expect((await view('ben')).program).toBeUndefined()
  })

  it('stops the answer when the connection is closed, and the lamp is free again', async () => {
    await (await post('/lamps/eve', { request: 'blue waves' })).text()
    const leave = new AbortController()
    const { body } = await post(
      '/lamps/eve',
      { request: 'a christmas tree' },
      { signal: leave.signal },
    )
    await body!.getReader().read()
    expect((await post('/lamps/eve', { request: 'red' })).status).toBe(409)
    leave.abort()
    await expect.poll(async () => (await view('eve')).exchanges.at(-1)?.status).toBe('cancelled')
    expect((await view('eve')).program?.name).toBe('blue waves')
    await expect
      .poll(async () => (await post('/lamps/eve', { request: 'make it red' })).status)
      .toBe(200)
  })

  it.each([
    ['no JSON', '{', 400],
    ['no request', {}, 400],
    ['an empty request', { request: '  ' }, 400],
    ['a long request', { request: 'x'.repeat(1001) }, 400],
    ['a huge body', { request: 'x'.repeat(100_000) }, 413],
    ['an unknown kind', { request: 'red', as: 'other' }, 400],
  ])('refuses %s', async (_, body, status) => {
    expect((await post('/lamps/ada', body)).status).toBe(status)
  })

  it('refuses what a page of another site can send', async () => {
    const body = { request: 'red' }
    expect(
      (await post('/lamps/ada', body, { headers: { ...json, origin: 'http://evil.example' } }))
        .status,
    ).toBe(403)
    expect(
      (await post('/lamps/ada', body, { headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415)
    expect(await statusWith({ host: 'evil.example' })).toBe(403)
    expect(await statusWith({ host: 'localhost' })).toBe(200)
    expect((await fetch(`${url}/lamps/ada`, { method: 'DELETE', headers: json })).status).toBe(405)
  })

  it('is started with Ollama by one flag, and finds its lamps again in its file', async () => {
    const upstream = await serveReader({ window: 4096, answers: [lampAnswer] })
    const folder = mkdtempSync(join(tmpdir(), 'throughline-lamp-'))
    onTestFinished(async () => {
      await upstream.close()
      rmSync(folder, { recursive: true })
    })
    const flags = ['--port', '0', '--file', join(folder, 'lamp.db')]
    const first = await startExample('lamp', [
      ...flags,
      '--ollama',
      'reader',
      '--ollama-host',
      upstream.host,
    ])
    await (await post('/lamps/ada', { request: 'blue waves' }, { at: first })).text()
    expect(upstream.bodies.at(-1)).toMatchObject({ options: { num_ctx: 4096 }, stream: true })
    const seen = await (await fetch(`${first}/lamps/ada`)).json()
    expect(seen).toMatchObject({
      modelName: 'reader',
      isRules: false,
      summary: 'blue waves, 1 step: wave(#0000FF)',
    })
    await stopExamples()
    const second = await startExample('lamp', flags)
    const again = await (await fetch(`${second}/lamps/ada`)).json()
    expect(again).toMatchObject({ isRules: true, summary: 'blue waves, 1 step: wave(#0000FF)' })
  })

  it('has a limit for lamps', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 110 }, async (_, at) => (await fetch(`${url}/lamps/lamp-${at}`)).status),
    )
    expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0)
    expect((await view('ada')).program?.name).toBe('blue waves')
  })
})
