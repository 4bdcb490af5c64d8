import { type Attributes, type SpanOptions, type Tracer, trace } from '@opentelemetry/api'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openTelemetry } from '../src/serve/server-log.ts'

it('reports requests as spans, with tokens and errors and without texts', async () => {
  const spans: { name: string; attributes: Attributes; code: number; ms: number }[] = []
  const tracer = {
    startSpan(name: string, { attributes = {}, startTime }: SpanOptions) {
      const span = { name, attributes, code: 0, ms: -1 }
      spans.push(span)
      return {
        setStatus({ code }: { code: number }) {
          span.code = code
        },
        end(time: number) {
          span.ms = time - Number(startTime)
        },
      }
    },
  } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  onTestFinished(() => trace.disable())
  const report = await openTelemetry()
  const { url, served } = await startServer()
  const ask = (model: string) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'The boat is called Seagull.' }],
      }),
    })
  const good = await ask('reader')
  await good.text()
  await (await ask('no-such-model')).text()
  for (const one of served) report!(one)
  expect(spans.map(({ name }) => name)).toEqual(['chat reader', 'chat no-such-model'])
  expect(spans[0]!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'reader',
    'throughline.upstream': 'reader',
    'gen_ai.request.model': 'reader',
    'gen_ai.conversation.id': good.headers.get('x-throughline-conversation'),
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  })
  expect(spans[1]!.attributes['error.type']).toBe('model_not_found')
  expect(spans.map(({ code }) => code)).toEqual([0, 2])
  expect(spans.every(({ ms }) => ms >= 0)).toBe(true)
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('Seagull')
})

it('reports nothing where the package is missing', async () => {
  const missing = () => Promise.reject(new Error('Cannot find package'))
  expect(await openTelemetry(missing)).toBeUndefined()
})
