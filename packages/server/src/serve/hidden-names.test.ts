import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Attributes, type SpanOptions, type Tracer, trace } from '@opentelemetry/api'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../config/read-config.ts'
import { startServer } from './start-server.ts'

const name = 'ada.lovelace@example.com about her divorce'
const text = 'The boat is called Seagull.'

/** All that a server writes to its log and reports as traces while it answers, fails and refuses. */
async function writtenBy(folder: string, logNames: boolean): Promise<readonly string[]> {
  const written: string[] = []
  const tracer = {
    startSpan(span: string, { attributes }: SpanOptions & { attributes?: Attributes }) {
      written.push(JSON.stringify({ span, attributes }))
      return { setStatus() {}, end() {} }
    },
  } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  const flags = { upstream: 'reader', db: join(folder, 'log.db'), port: '0', logLevel: 'trace' }
  const { config } = readConfig({ flags: { ...flags, logNames: String(logNames) } })
  const server = await startServer(config, { writeLog: line => written.push(line) })
  const ask = async (path: string, headers: Record<string, string>, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${server.url}${path}`, init)).text()
  }
  const named = {
    'x-throughline-conversation': name,
    authorization: 'Bearer none-of-your-business',
  }
  const hello = { model: 'reader', messages: [{ role: 'user', content: text }] }
  await ask('/v1/chat/completions', named, hello)
  await ask('/v1/chat/completions', named, { ...hello, stream: true })
  await ask('/v1/chat/completions', named, { ...hello, model: 'no-such-model' })
  await ask('/v1/chat/completions', named, {
    ...hello,
    messages: [{ role: 'nobody', content: text }],
  })
  await ask('/v1/chat/completions', { ...named, 'x-throughline-actor': 'throughline:run' }, hello)
  await ask(`/throughline/v1/conversations/${encodeURIComponent(name)}/send`, named, {
    input: text,
  })
  await ask('/throughline/v1/ui-chat', named, {
    id: name,
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
  })
  await server.stop()
  trace.disable()
  return written
}

it('tells no name of a conversation, no key and no text, but always the same hash for the same name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const hashes = new Set<unknown>()
  for (const lines of [await writtenBy(folder, false), await writtenBy(folder, false)]) {
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines)
      for (const hidden of ['lovelace', 'divorce', 'Seagull', 'none-of-your'])
        expect([line, line.includes(hidden)]).toEqual([line, false])
    for (const line of lines) {
      const { conversation, attributes } = JSON.parse(line)
      hashes.add(conversation ?? attributes?.['gen_ai.conversation.id'])
    }
  }
  hashes.delete(undefined)
  expect([...hashes]).toEqual([expect.stringMatching(/^[\w-]{12}$/)])
  // Who asks for names gets them.
  expect((await writtenBy(folder, true)).join('\n')).toContain('lovelace')
})
