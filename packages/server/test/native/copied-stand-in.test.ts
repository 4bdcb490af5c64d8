import { findStandIn } from '@throughline/core/messages'
import { anthropicEvents } from '@throughline/models/fixtures'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import { chatPair } from './chat-pair.ts'
import { messagesPair } from './messages-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { startPair, written } from './pair.ts'
import { responsesPair } from './responses-pair.ts'

const mark = '[Not the result: #4 (184 tokens) is left out here]'

describe.each([chatPair, messagesPair, responsesPair, ollamaPair])(
  'a call that holds a mark: $name',
  pair => {
    /** The answer of the pair, in which the call has the mark as its argument. */
    const chunks =
      pair === messagesPair
        ? anthropicEvents([{ type: 'tool_use', id: 'toolu_9', name: 'look', input: { at: mark } }])
        : pair.stream.chunks.map(chunk =>
            chunk
              .replaceAll('root', mark)
              .replace('"arguments":{}', `"arguments":{"at":"${mark}"}`),
          )
    const ask = async (question: string, isStreamed = true) => {
      const { ask, served } = await startPair(pair, { ...pair.stream, chunks }, 200_000, {
        retries: 0,
      })
      const list = [...pair.turn(1, 'a leaf'), pair.question(question)]
      const response = await ask(written({ ...pair.body, [pair.list]: list }, isStreamed))
      return { text: await response.text(), result: served[0]!.answered!.result }
    }

    it('is refused where the mark stood in its prompt', async () => {
      const { text, result } = await ask(`What is ${mark}?`)
      expect(result).toMatchObject({ error: { code: 'stand_in_copied' } })
      expect(text).toContain('only stands for a text')
      // What tells that the call is whole, and all behind it, is not passed on.
      const end = pair === responsesPair ? -3 : -2
      for (const chunk of chunks.slice(end)) expect(text).not.toContain(chunk)
    })

    it('is passed on where it did not', async () => {
      const { text, result } = await ask('What is it?')
      expect(result.status).toBe('open')
      expect(text).toBe(chunks.join(''))
    })
  },
)

it('refuses a call with a mark that the server itself has put there: the client asks again', async () => {
  const tries: string[] = []
  const upstream = await startUpstream(({ text }) => {
    const copied = tries.length < 1 ? findStandIn(text) : undefined
    if (copied !== undefined) tries.push(copied)
    const call = { name: 'write', arguments: JSON.stringify({ text: copied ?? 'whole' }) }
    return openaiAnswer(
      [{ tool_calls: [{ index: 0, id: 'c', type: 'function', function: call }] }],
      {
        finish: 'tool_calls',
      },
    )
  })
  onTestFinished(upstream.close)
  const { url } = await startServer({
    upstream: openaiUpstream({ url: upstream.url, window: 4096 }),
  })
  const messages = Array.from({ length: 12 }, (_, at) =>
    chatPair.turn(at, 'word '.repeat(300)),
  ).flat()
  const ask = async () => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [...messages, chatPair.question('Write it.')] }),
    })
    return { status: response.status, text: await response.text() }
  }
  expect(await ask()).toEqual({
    status: 502,
    text: expect.stringContaining('only stands for a text'),
  })
  expect(tries).toHaveLength(1)
  expect(await ask()).toEqual({ status: 200, text: expect.stringContaining('whole') })
})
