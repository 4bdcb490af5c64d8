import { ollamaReader } from '@throughline/models/dialects'
import { type Model, ModelError, type ModelPart } from '@throughline/models/model'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ollamaUpstream, openaiUpstream } from './model-servers.ts'
import type { Upstream } from './upstream.ts'

/**
 * An answer that is cut anywhere is never a success: an upstream ends, or loses its connection, after any byte of it. All
 * places with THROUGHLINE_LONG, else every seventh.
 */
const step = process.env.THROUGHLINE_LONG ? 1 : 7

interface AnswerCase {
  readonly make: (url: string) => Upstream
  readonly answer: string
  /** How many bytes make a whole answer. */
  readonly enough: number
}

const lines = ollamaAnswer([
  { content: 'grün' },
  { tool_calls: [{ function: { name: 'look', arguments: {} } }] },
]).chunks.join('')
const events = openaiAnswer([
  { content: 'grün' },
  { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{}' } }] },
]).chunks

const length = (text: string) => Buffer.byteLength(text)

const spoken: Readonly<Record<string, AnswerCase>> = {
  ollama: {
    make: url => ollamaUpstream({ url, window: 2048 }),
    answer: lines,
    // The last line is whole without its line break.
    enough: length(lines) - 1,
  },
  openai: {
    make: url => openaiUpstream({ url, window: 2048 }),
    answer: events.join(''),
    // With the reason of the finish; the usage and [DONE] may be missing.
    enough: length(events.slice(0, 3).join('')) - 2,
  },
}

let answer: UpstreamAnswer = { chunks: [] }
const wire = startUpstream(({ path }) => (path.includes('/chat') ? answer : { status: 404 }))
afterAll(async () => (await wire).close())

/** What goes wrong with this model when its answers are cut. */
async function faultsOf(
  model: Model,
  { answer: whole, enough }: AnswerCase,
): Promise<readonly string[]> {
  const bytes = Buffer.from(whole)
  const faults: string[] = []
  const places = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) => at * step)
  for (const at of [...places, bytes.length]) {
    for (const ending of ['end', 'reset'] as const) {
      answer = { chunks: at === 0 ? [] : [bytes.subarray(0, at)], ending }
      const parts: ModelPart[] = []
      const error = await read(model, parts)
      const isEnd = parts.at(-1)?.type === 'end'
      if (error !== undefined && !(error instanceof ModelError))
        faults.push(`${ending} at ${at}: ${error}`)
      if (isEnd && at < enough) faults.push(`${ending} at ${at}: a success`)
      if (!isEnd && error === undefined) faults.push(`${ending} at ${at}: no end and no error`)
      if (!isEnd && ending === 'end' && at === bytes.length)
        faults.push('the whole answer is no success')
    }
  }
  return faults
}

async function read(model: Model, parts: ModelPart[]): Promise<unknown> {
  try {
    for await (const part of model.stream({ messages: [{ role: 'user', content: 'hi' }] }))
      parts.push(part)
  } catch (error) {
    return error
  }
}

describe.each(Object.entries(spoken))('%s', (_, one) => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = one.make((await wire).url)
  })
  afterAll(() => upstream.close())

  it('takes no cut answer for a whole one', async () => {
    expect(await faultsOf(upstream.model('m'), one)).toEqual([])
  })
})

it('finds a reader that takes the end of a stream for the end of an answer', async () => {
  const { url } = await wire
  const careless: Model = {
    name: 'careless',
    window: async () => 2048,
    async *stream() {
      const text = await fetch(`${url}/api/chat`, { method: 'POST' }).then(
        response => response.text(),
        () => '',
      )
      const server = { name: '', model: '', notFound: '', unavailable: '', sent: () => [] }
      const reader = ollamaReader(server)
      for (const line of [...text.split('\n').filter(isJson), '{"done":true}'])
        yield* reader.read(JSON.parse(line))
    },
  }
  const faults = await faultsOf(careless, spoken.ollama!)
  expect(faults.filter(fault => fault.endsWith('a success')).length).toBeGreaterThan(10)
})

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== undefined
  } catch {
    return false
  }
}
