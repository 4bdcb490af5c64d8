import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidMessageError } from './error.ts'
import { textMessage } from './message.ts'
import { parseMessage } from './parse-message.ts'
import { withText } from './write-message.ts'

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

const deep = (levels: number) => {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('parseMessage', () => {
  it("reads Ollama's shape", () => {
    const message = parseMessage(
      {
        role: 'assistant',
        content: 'Let me look.',
        thinking: 'hm',
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.ts' } } }],
      },
      0,
    )
    expect(message).toMatchObject({
      role: 'assistant',
      dialect: 'ollama',
      text: 'Let me look.',
      thinking: 'hm',
      calls: [{ name: 'read_file', arguments: '{"path":"a.ts"}' }],
    })
    expect(parseMessage({ role: 'tool', tool_name: 'read_file', content: 'x' }, 0).results).toEqual(
      [{ name: 'read_file', text: 'x' }],
    )
    expect(parseMessage({ role: 'user', content: 'see', images: ['aGk=', 'aGk='] }, 0).media).toBe(
      2,
    )
  })

  it("reads OpenAI's shape", () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"n":1}' } }
    expect(parseMessage({ role: 'assistant', content: null, tool_calls: [call] }, 0)).toMatchObject(
      {
        dialect: 'openai',
        text: '',
        calls: [{ id: 'call_1', name: 'run', arguments: '{"n":1}' }],
      },
    )
    expect(parseMessage({ role: 'tool', tool_call_id: 'call_1', content: 'ok' }, 0)).toMatchObject({
      dialect: 'openai',
      results: [{ callId: 'call_1', text: 'ok' }],
    })
    const parts = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    expect(parseMessage({ role: 'user', content: parts }, 0)).toMatchObject({
      text: 'look',
      media: 1,
    })
    expect(parseMessage({ role: 'developer', content: 'rules' }, 0).role).toBe('system')
    expect(parseMessage({ role: 'function', name: 'run', content: 'ok' }, 0)).toMatchObject({
      role: 'tool',
    })
    const legacy = {
      role: 'assistant',
      content: null,
      function_call: { name: 'run', arguments: '{}' },
    }
    expect(parseMessage(legacy, 0).calls).toEqual([{ name: 'run', arguments: '{}' }])
  })

  it("reads the AI SDK's shape", () => {
    const content = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
    ]
    expect(parseMessage({ role: 'assistant', content }, 0)).toMatchObject({
      dialect: 'ai-sdk',
      text: 'Let me look.',
      thinking: 'hm',
      calls: [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }],
    })
    const results = [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'read',
        output: { type: 'text', value: 'x' },
      },
      {
        type: 'tool-result',
        toolCallId: 'c2',
        toolName: 'run',
        output: { type: 'json', value: { ok: true } },
      },
      {
        type: 'tool-result',
        toolCallId: 'c3',
        toolName: 'see',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'y' },
            { type: 'media', data: 'AAAA' },
          ],
        },
      },
    ]
    expect(parseMessage({ role: 'tool', content: results }, 0)).toMatchObject({
      text: 'x\n{"ok":true}\ny',
      media: 1,
      results: [
        { callId: 'c1', text: 'x' },
        { callId: 'c2', text: '{"ok":true}' },
        { callId: 'c3', text: 'y' },
      ],
    })
    const image = {
      role: 'user',
      content: [
        { type: 'image', image: new Uint8Array(9) },
        { type: 'text', text: 'see' },
      ],
    }
    expect(parseMessage(image, 0)).toMatchObject({ dialect: 'ai-sdk', media: 1, text: 'see' })
  })

  it('never takes the bytes of an image for text', () => {
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`
    const message = parseMessage(
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      0,
    )
    expect(JSON.stringify(message).length).toBeLessThan(300)
  })

  it('reads a time wherever it stands', () => {
    const at = Date.UTC(2026, 2, 1)
    for (const key of ['time', 'createdAt', 'created_at', 'timestamp']) {
      expect(
        parseMessage({ role: 'user', content: '', [key]: new Date(at).toISOString() }, 0).time,
      ).toBe(at)
      expect(parseMessage({ role: 'user', content: '', [key]: new Date(at) }, 0).time).toBe(at)
    }
    expect(parseMessage({ role: 'user', content: '', time: 'yesterday' }, 0)).not.toHaveProperty(
      'time',
    )
  })

  it('takes empty, null and missing content for an empty text', () => {
    for (const content of ['', null, undefined, []]) {
      expect(parseMessage({ role: 'assistant', content }, 0).text).toBe('')
    }
  })

  it('keeps parts that it does not know, as JSON to be counted', () => {
    const message = parseMessage({ role: 'user', content: [{ type: 'hologram', depth: 3 }] }, 0)
    expect(message.unknown).toBe('{"type":"hologram","depth":3}')
  })

  it.each([
    [null, 'Message 7: expected an object with a role, got null'],
    ['hello', 'Message 7: expected an object with a role, got a string'],
    [[], 'Message 7: expected an object with a role, got an array'],
    [{ content: 'x' }, 'Message 7: has no role: use one of system, developer, user'],
    [{ role: 'wizard', content: 'x' }, 'Message 7: has the unknown role "wizard"'],
    [{ role: 'constructor', content: 'x' }, 'Message 7: has the unknown role "constructor"'],
    [
      { role: 'user', content: 5 },
      'Message 7: "content" must be a text or a list of parts, not a number',
    ],
    [{ role: 'user', content: [null] }, 'Message 7: "content[0]" must be a part, not null'],
    [{ role: 'user', parts: [] }, 'Message 7: has "parts", not "content"'],
    [
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      'a UI message with convertToModelMessages',
    ],
    [{ role: 'model', parts: [{ text: 'hi' }] }, 'one of Gemini to "content" and tool_calls'],
    [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'x' }] },
      "only Anthropic's own API has",
    ],
    [{ role: 'assistant', tool_calls: 'x' }, 'Message 7: "tool_calls" must be an array'],
    [{ role: 'assistant', tool_calls: [{}] }, 'Message 7: "tool_calls[0]" has no function name'],
    [
      { role: 'assistant', tool_calls: [{ function: { name: 'x', arguments: cyclic } }] },
      'Message 7: "tool_calls[0].function.arguments" cannot be written as JSON: Converting circular structure',
    ],
    [
      {
        role: 'assistant',
        tool_calls: [{ function: { name: 'x', arguments: { deep: deep(100_000) } } }],
      },
      'Message 7: "tool_calls[0].function.arguments" cannot be written as JSON: it is nested too deeply',
    ],
    [
      {
        role: 'user',
        get content() {
          throw new Error('boom')
        },
      },
      'Message 7: cannot be read (Error: boom)',
    ],
  ])('says what is wrong and where: %#', (value, problem) => {
    let caught: unknown
    try {
      parseMessage(value, 7)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(InvalidMessageError)
    expect(caught).toMatchObject({ code: 'invalid_message', seq: 7 })
    expect((caught as Error).message).toContain(problem)
  })

  it('either reads a value or throws InvalidMessageError, whatever it is', () => {
    const roles = fc.constantFrom('system', 'user', 'assistant', 'tool', 'assistant_note')
    const value = fc.oneof(
      fc.anything(),
      fc.record({ role: roles, content: fc.anything(), tool_calls: fc.anything() }),
    )
    fc.assert(
      fc.property(value, value => {
        try {
          const message = parseMessage(value, 0)
          expect(typeof message.text).toBe('string')
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidMessageError)
        }
      }),
    )
  })

  it('is not needed for a text that the library adds, nor for one that it cuts', () => {
    const role = fc.constantFrom('system' as const, 'user' as const, 'assistant' as const)
    const part = fc.constantFrom<unknown>(
      'plain',
      { type: 'text', text: 'a part' },
      { type: 'output_text', text: 'of OpenAI' },
      { type: 'reasoning', text: 'hm' },
      { type: 'image_url', image_url: { url: 'data:,' } },
      { type: 'file', data: 'aGk=', mediaType: 'text/plain' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
      { type: 'of tomorrow', text: 'unknown' },
    )
    const content = fc.oneof(fc.string(), fc.array(part))
    fc.assert(
      fc.property(role, content, fc.string(), (role, content, text) => {
        expect(textMessage(role, text)).toEqual(parseMessage({ role, content: text }, 0))
        const whole = { role: 'assistant', content }
        const cut = parseMessage(withText(whole, text), 0)
        expect({ ...parseMessage(whole, 0), text }).toEqual(cut)
      }),
    )
  })
})
