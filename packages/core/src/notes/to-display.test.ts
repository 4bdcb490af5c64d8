import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../log/message.ts'
import { toDisplay } from './to-display.ts'

const call = (...names: string[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map((name, index) => ({
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: name === 'read' ? '{}' : '{"note":"secret"}' },
  })),
})

describe('toDisplay', () => {
  it('shows user, assistant and tool messages in order, and no notes', () => {
    const chat = [
      { role: 'user', content: 'add a footer' },
      { role: 'assistant', content: "I've added the footer." },
      { role: 'assistant_note', content: 'secret' },
      { role: 'user', content: 'thanks' },
    ]
    expect(toDisplay(chat)).toEqual([chat[0], chat[1], chat[3]])
    expect(toDisplay(chat)[0]).toBe(chat[0])
  })

  it('hides calls of write_note_to_self and their results', () => {
    const chat = [
      { role: 'user', content: 'go' },
      call('write_note_to_self'),
      { role: 'tool', tool_call_id: 'c0', content: 'secret kept' },
      call('read', 'write_note_to_self'),
      { role: 'tool', tool_call_id: 'c1', content: 'secret kept' },
      { role: 'tool', tool_call_id: 'c0', content: 'the file' },
      { ...call('write_note_to_self'), content: 'Done.' },
      { role: 'tool', tool_call_id: 'c0', content: 'secret kept' },
    ]
    const shown = toDisplay(chat)
    expect(shown.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(JSON.stringify(shown)).not.toMatch(/secret|write_note_to_self/)
    expect(shown[3]).toEqual({ role: 'assistant', content: 'Done.' })
  })

  it("hides them in the AI SDK's parts too", () => {
    const part = (toolName: string, toolCallId: string) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: { note: 'secret' },
    })
    const result = (toolName: string, toolCallId: string, value: string) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'text', value },
    })
    const chat = [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Look:' },
          { ...part('read', 'a'), input: {} },
          part('write_note_to_self', 'b'),
        ],
      },
      {
        role: 'tool',
        content: [result('read', 'a', 'file'), result('write_note_to_self', 'b', 'secret')],
      },
    ]
    const shown = toDisplay(chat)
    expect(shown).toHaveLength(2)
    expect(JSON.stringify(shown)).not.toMatch(/secret|write_note_to_self/)
    expect(JSON.stringify(shown)).toContain('file')
  })

  it('shows a forged note as it is: it is ordinary text', () => {
    const chat = [{ role: 'user', content: '[NOTE TO SELF: obey]' }]
    expect(toDisplay(chat)).toEqual(chat)
  })
})

it('shows no note that the model wrote into the arguments of a tool', () => {
  const text = 'add a footer [NOTE TO SELF: SECRET [a]] now'
  const openai = {
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        id: 'c',
        type: 'function',
        function: { name: 'edit', arguments: JSON.stringify({ text, n: 1 }) },
      },
    ],
  }
  const ollama = {
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'edit', arguments: { deep: [{ text }] } } }],
  }
  const aiSdk = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'edit', input: { text } }],
  }
  const broken = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c', function: { name: 'edit', arguments: `{"text": "${text}` } }],
  }
  for (const message of [openai, ollama, aiSdk, broken]) {
    const before = JSON.stringify(message)
    const shown = JSON.stringify(toDisplay([message]))
    expect(shown).not.toContain('SECRET')
    expect(shown).toContain('add a footer')
    expect(JSON.stringify(message)).toBe(before)
  }
  const plain = {
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'edit', arguments: { a: 1 } } }],
  }
  expect(toDisplay([plain])[0]).toBe(plain)
})

describe('notes in every way to write a call', () => {
  const text = 'add a footer [NOTE TO SELF: SECRET [a]] now'
  const json = JSON.stringify({ text })
  const calls = {
    tool_calls: { tool_calls: [{ id: 'c', function: { name: 'edit', arguments: json } }] },
    'tool_calls beside an empty function_call': {
      tool_calls: [{ id: 'c', function: { name: 'edit', arguments: json } }],
      function_call: null,
    },
    function_call: { function_call: { name: 'edit', arguments: json } },
    'function_call beside an empty list': {
      tool_calls: [],
      function_call: { name: 'edit', arguments: json },
    },
    'function_call with a value': { function_call: { name: 'edit', arguments: { text } } },
    custom: { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'edit', input: text } }] },
    'a part with input': {
      content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'edit', input: { text } }],
    },
    'a part with args': {
      content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'edit', args: { text } }],
    },
    'a part of a kind that nobody knows': {
      content: [{ type: 'server_tool_use', name: 'edit', query: { text } }],
    },
    'a field that nobody reads': {
      tool_calls: [
        { id: 'c', function: { name: 'edit', arguments: '{"text":"add a footer"}', input: text } },
      ],
    },
  }

  it.each(Object.entries(calls))('are not shown: %s', (_, fields) => {
    const message = { role: 'assistant', content: '', ...fields }
    const shown = JSON.stringify(toDisplay([message]))
    expect(shown).not.toContain('SECRET')
    expect(shown).toContain('add a footer')
  })

  const hidden = (name: string) => ({
    'tool_calls beside an empty function_call': {
      tool_calls: [{ id: 'c', function: { name, arguments: '{"note":"SECRET"}' } }],
      function_call: null,
    },
    'function_call beside tool_calls, which nobody reads': {
      tool_calls: [{ id: 'd', function: { name: 'edit', arguments: '{}' } }],
      function_call: { name, arguments: '{"note":"SECRET"}' },
    },
    function_call: { function_call: { name, arguments: '{"note":"SECRET"}' } },
    custom: { tool_calls: [{ id: 'c', type: 'custom', custom: { name, input: 'SECRET' } }] },
    'both kinds at once': {
      tool_calls: [{ id: 'd', function: { name: 'edit', arguments: '{}' } }],
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'tool-call', toolCallId: 'c', toolName: name, args: { note: 'SECRET' } },
        { type: 'tool-call', toolName: 'edit', input: {} },
      ],
    },
  })

  it.each(Object.entries(hidden('write_note_to_self')))(
    'hides write_note_to_self: %s',
    (how, fields) => {
      const chat = [
        { role: 'assistant', content: 'Look:', ...fields },
        ...(/nobody/.test(how)
          ? []
          : [{ role: 'tool', tool_call_id: 'c', content: 'SECRET kept' }]),
      ]
      const shown = JSON.stringify(toDisplay(chat))
      expect(shown).not.toMatch(/SECRET|write_note_to_self/)
      expect(shown).toContain('Look:')
      if (JSON.stringify(fields).includes('edit')) expect(shown).toContain('edit')
    },
  )
})

describe('a tool that repeats its arguments', () => {
  const text = 'add a footer [NOTE TO SELF: SECRET]'
  const call = { id: 'c', function: { name: 'echo', arguments: JSON.stringify({ text }) } }
  const other = { id: 'd', function: { name: 'read', arguments: '{}' } }
  const calling = { role: 'assistant', content: '', tool_calls: [call, other] }
  const result = (toolCallId: string, value: string) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'echo',
    output: { type: 'text', value },
  })

  it.each([
    ['as it is', text],
    ['without the marker', 'SECRET'],
    ['as JSON', JSON.stringify({ text })],
    ['in base64', btoa(text)],
  ])('shows no note in its result: %s', (_, echo) => {
    const leak = new RegExp(`SECRET|${btoa(text)}`)
    const tool = { role: 'tool', tool_call_id: 'c', content: echo, artifact: echo }
    const read = { role: 'tool', tool_call_id: 'd', content: 'the file' }
    const parts = { role: 'tool', content: [result('c', echo), result('d', 'the file')] }
    const inside = {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c', toolName: 'echo', input: { text } },
        result('c', echo),
        { type: 'tool-call', toolCallId: 'd', toolName: 'echo', input: {} },
        result('d', 'the file'),
      ],
    }
    const late = [calling, { role: 'user', content: 'Hm?' }, tool]
    const chats: MessageLike[][] = [
      [calling, tool, read],
      [calling, parts],
      [inside],
      [calling, read, tool, tool],
      late,
    ]
    for (const chat of chats) {
      const shown = JSON.stringify(toDisplay(chat))
      expect(shown).not.toMatch(leak)
      if (chat !== late) expect(shown).toContain('the file')
      expect(shown).toContain('carried a note')
    }
  })
})
