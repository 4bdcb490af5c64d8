import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import { newFolder, serve } from '@throughline/test-tools/serve-process'
import { expect, it } from 'vitest'

const ask = (url: string, content: string, more: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'reader', messages: [{ role: 'user', content }], ...more }),
  })

it('starts with the built-in reader where nothing else is found, says so, and keeps what was said', async () => {
  const folder = newFolder()
  const { child, said, url, ended } = await serve(folder, '--log-names', 'true')
  expect(said.err).toContain('built-in reader')
  expect(said.err).toContain(`Inspector: ${url}/inspector`)
  expect(await (await fetch(`${url}/inspector`)).text()).toContain('<div id="app">')
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
    status: 'ok',
    upstream: 'reader',
  })
  const secret = 'The boat is called Seagull.'
  const response = await ask(url, secret)
  const conversation = response.headers.get('x-throughline-conversation')!
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  const lines = said.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map(({ msg }) => msg)).toEqual(['listening', 'request', 'stopped'])
  expect(lines[1]).toMatchObject({
    adapter: 'openai',
    model: 'reader',
    conversation,
    status: 'completed',
  })
  expect(said.out).not.toContain('Seagull')
  const store = sqliteStore({ path: join(folder, 'throughline.db'), readOnly: true })
  const messages = await createHistory({ store }).thread(conversation).messages()
  await store.close()
  expect(messages[0]).toMatchObject({ role: 'user', content: secret })
})

it('says of each of several upstreams what it is and what it takes', async () => {
  const folder = newFolder()
  const upstreams = [
    { name: 'old', models: 'old-*', url: 'http://127.0.0.1:9', kind: 'openai', key: 'key-of-old' },
    { name: 'small', models: '*', url: 'reader', window: 512 },
  ]
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ upstreams }))
  const { said, url } = await serve(folder, '--config', 'settings.json')
  expect(said.err).toContain(
    'The upstream "old" is an OpenAI-compatible server at http://127.0.0.1:9. It takes old-*.\n' +
      'The upstream "small" is the built-in reader. It takes *.\n',
  )
  expect((await ask(url, 'Hello.')).status).toBe(200)
  expect((await ask(url, 'Hello.', { model: 'old-1' })).status).toBe(502)
  await expect
    .poll(() => said.out.split('\n').filter(line => line.includes('"request"')))
    .toHaveLength(2)
  expect(said.out).toContain('"model":"reader","upstream":"small"')
  expect(said.out).toContain('"model":"old-1","upstream":"old"')
  expect(said.out + said.err).not.toContain('key-of-old')
})

it('lets a reply come to its end when it is stopped', async () => {
  const { child, url, ended } = await serve(newFolder())
  const response = await ask(url, `Tell me ${'a long story '.repeat(200)}.`, { stream: true })
  child.kill('SIGTERM')
  expect(await response.text()).toContain('[DONE]')
  expect((await ended)[0]).toBe(0)
})

it('lets posted experiments use the tools of the module that its operator names', async () => {
  const folder = newFolder()
  const tools = `import { defineExperimentTool } from 'throughline/experiment'
    const input = { '~standard': { version: 1, vendor: 'own', validate: value => ({ value }) } }
    const parameters = { type: 'object', properties: {} }
    const run = () => 'Sold.'
    export default [defineExperimentTool({ name: 'sell', description: 'Sells a cup.', input, parameters, run })]`
  writeFileSync(join(folder, 'tools.mjs'), tools)
  writeFileSync(
    join(folder, 'settings.json'),
    JSON.stringify({ experimentTools: join(folder, 'tools.mjs') }),
  )
  const { url, said } = await serve(folder, '--config', 'settings.json')
  const start = async (tool: string) => {
    const plan = {
      name: 'stand',
      environment: { cups: { type: 'int', value: 3 } },
      roles: [{ name: 'seller', model: 'reader', tools: [tool] }],
      goals: [{ description: 'Sold out', holds: 'cups == 0' }],
      maxSteps: 1,
    }
    const body = JSON.stringify({ plan })
    const response = await fetch(`${url}/throughline/v1/experiments`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }
  expect(await start('sell'), said.err).toMatchObject({ status: 201 })
  expect(await start('steal')).toMatchObject({
    status: 400,
    text: expect.stringContaining('steal'),
  })
})

it.each([
  [['--port', 'many'], '--port must be a whole number'],
  [['--host', '0.0.0.0'], 'lets other machines in'],
  [['--upstream', 'http://127.0.0.1:9'], 'Nothing answers at http://127.0.0.1:9'],
  [['--require-keys', 'true'], 'throughline keys create'],
  [['--config', 'no-such-file.json'], 'cannot be read (ENOENT)'],
  [['--experiment-tools', 'no-such-module.mjs'], 'cannot load'],
])('refuses %j in one line', async (flags, words) => {
  const { said, ended } = await serve(newFolder(), ...flags)
  expect((await ended)[0]).toBe(2)
  expect(said.err.trim().split('\n')).toHaveLength(1)
  expect(said.err).toContain(words)
})
