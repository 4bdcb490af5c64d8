import { describe, expect, it } from 'vitest'
import { markCache } from './mark-cache.ts'

const mark = { type: 'ephemeral' }
const hour = { type: 'ephemeral', ttl: '1h' }
const text = (said: string, cache_control?: object) => ({
  ...{ type: 'text', text: said },
  ...(cache_control && { cache_control }),
})
const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const messages = [user(text('one')), assistant(text('two')), user(text('three'))]

/** The texts and names of what is marked, with the lifetimes. */
function marksIn(body: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(body, (_, value) => {
    const {
      text: said,
      name,
      type,
      cache_control: given,
    } = (value ?? {}) as Record<string, unknown>
    if (given) found.push(`${said ?? name ?? type} ${(given as { ttl?: string }).ttl ?? '5m'}`)
    return value
  })
  return found
}

describe('marks of ours', () => {
  it('stand at the system prompt, at the end of the request before, and at the newest message', () => {
    const body = { system: 'Be kind.', tools: [{ name: 'look' }], messages }
    expect(markCache(body)).toEqual({
      system: [text('Be kind.', mark)],
      tools: [{ name: 'look' }],
      messages: [user(text('one', mark)), messages[1], user(text('three', mark))],
    })
    expect(marksIn(markCache({ ...body, system: undefined }))).toEqual([
      'look 5m',
      'one 5m',
      'three 5m',
    ])
    expect(markCache(body).messages).toContain(messages[1])
  })

  it('stand in the middle of a list that is longer than a mark looks back, too', () => {
    const long = Array.from({ length: 51 }, (_, at) =>
      (at % 2 === 0 ? user : assistant)(text(`${at}`)),
    )
    expect(marksIn(markCache({ system: 'a', messages: long }))).toEqual([
      'a 5m',
      '25 5m',
      '48 5m',
      '50 5m',
    ])
  })

  it('are as many as the client has left, and never where the client has set its own', () => {
    const system = [text('a', mark), text('b')]
    expect(marksIn(markCache({ system, messages }))).toEqual(['a 5m', 'one 5m', 'three 5m'])
    const tools = ['x', 'y', 'z'].map(name => ({ name, cache_control: mark }))
    expect(marksIn(markCache({ system: 'b', tools, messages }))).toEqual([
      'x 5m',
      'y 5m',
      'z 5m',
      'three 5m',
    ])
    const full = { system, tools, messages }
    expect(markCache(full)).toEqual(full)
    expect(marksIn(markCache({ messages, cache_control: mark }).messages)).toEqual(['one 5m'])
  })

  it('last an hour before a mark that does', () => {
    const asked = [...messages.slice(0, 2), user(text('three', hour))]
    expect(marksIn(markCache({ system: 'a', messages: asked }))).toEqual([
      'a 1h',
      'one 1h',
      'three 1h',
    ])
    expect(marksIn(markCache({ system: [text('a', hour)], messages }))).toEqual([
      'a 1h',
      'one 5m',
      'three 5m',
    ])
  })

  it('are not given to a first message without tools, which may be the only one', () => {
    const body = { system: 'a', messages: [user(text('one'))] }
    expect(marksIn(markCache(body))).toEqual([])
    expect(marksIn(markCache({ ...body, tools: [{ name: 'look' }] }))).toEqual(['a 5m', 'one 5m'])
  })

  it('stand on a block that may have one', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
    const asked = [...messages, assistant(text('said'), thought, text(' '))]
    expect(marksIn(markCache({ messages: asked }))).toEqual(['one 5m', 'said 5m'])
    expect(marksIn(markCache({ messages: [...messages, assistant(thought)] }))).toEqual(['one 5m'])
  })

  it('change nothing in a body that makes no sense', () => {
    for (const odd of [
      null,
      7,
      {},
      [],
      [null],
      [{ content: 7 }],
      [{ role: 'assistant' }, null, 1],
    ]) {
      const body = { system: odd, tools: odd, messages: odd }
      expect(markCache(body)).toEqual(body)
    }
  })
})
