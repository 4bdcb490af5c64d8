import { startUpstream } from '@throughline/test-tools/scripted-upstream'
import { newFolder, serve } from '@throughline/test-tools/serve-process'
import { standInVector } from '@throughline/test-tools/stand-in-embedder'
import { fact, question, said } from '@throughline/test-tools/tale'
import { expect, it } from 'vitest'

it('asks Ollama for vectors, and shows the context that was sent with them', async () => {
  let isAway = false
  const ollama = await startUpstream(({ path, body }) => {
    if (path !== '/api/embed') return { status: 404, body: { error: 'not found' } }
    if (isAway) return { status: 500, body: { error: 'runner has crashed' } }
    const { input } = body as { readonly input: readonly string[] }
    return { status: 200, body: { model: 'tiny-embed', embeddings: input.map(standInVector) } }
  })
  const args = ['--embed-model', 'tiny-embed', '--embed-host', ollama.url]
  const {
    child,
    url,
    said: printed,
    ended,
  } = await serve(newFolder(), ...args, '--window', '640', '--upstream', 'reader')
  const ask = async (content: string) => {
    const response = await fetch(`${url}/c/tale/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'reader',
        max_tokens: 60,
        messages: [{ role: 'user', content }],
      }),
    })
    expect(response.status).toBe(200)
    await response.text()
  }
  for (let turn = 0; turn < 24; turn++) await ask(said(turn)[0])
  await ask(question)
  expect(ollama.requests.every(({ path }) => path === '/api/embed')).toBe(true)
  expect(ollama.requests).toHaveLength(25)
  const base = `${url}/throughline/v1/conversations/tale`
  const { calls } = (await (await fetch(`${base}/calls`)).json()) as {
    calls: readonly { id: string }[]
  }
  const sent = await (await fetch(`${base}/calls/${calls[0]!.id}/dump`)).text()
  expect(sent).toContain(fact)
  // The inspector makes the context again: with its vectors.
  const again = await (await fetch(`${base}/dump?at=49&window=640&reserve=60`)).text()
  expect(again).toContain(fact)
  isAway = true
  await ask('And what is the ferry for?')
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  await ollama.close()
  const warnings = printed.out.split('\n').filter(line => line.includes('texts got no vectors'))
  expect(warnings.map(line => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ error: 'model_unavailable' }),
  ])
  expect(printed.out).not.toContain('ferry')
})
