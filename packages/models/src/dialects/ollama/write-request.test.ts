import { expect, it } from 'vitest'
import { eachOllama } from './write-request.ts'

const toOllamaMessages = (messages: Parameters<typeof eachOllama>[0]) => eachOllama(messages).flat()

const png = 'iVBORw0KGgo='

it('leaves Ollama’s own messages as they are, without keys that it does not know', () => {
  const messages = [
    { role: 'system', content: 'You sail.' },
    { role: 'user', content: 'look', images: [png] },
    {
      role: 'assistant',
      content: '',
      thinking: 'hm',
      tool_calls: [
        { id: 'a1', function: { name: 'wind', arguments: { city: 'Kiel', days: [1, 2] } } },
      ],
    },
    { role: 'tool', content: '4 Bft', tool_name: 'wind', tool_call_id: 'a1' },
  ]
  const given = messages.map((message, at) => ({ ...message, id: `e${at}`, time: 1, extra: true }))
  expect(toOllamaMessages(given)).toEqual(messages)
})

it('reads OpenAI’s: parts, arguments as a text, results that are named only by id', () => {
  expect(
    toOllamaMessages([
      { role: 'developer', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'wind', arguments: '{"city":"Kiel"}' } },
          { id: 'b', type: 'function', function: { name: 'tide', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'high' },
      { role: 'tool', tool_call_id: 'a', content: '4 Bft' },
    ]),
  ).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'look', images: [png] },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', function: { name: 'wind', arguments: { city: 'Kiel' } } },
        { id: 'b', function: { name: 'tide', arguments: {} } },
      ],
    },
    { role: 'tool', content: 'high', tool_name: 'tide', tool_call_id: 'b' },
    { role: 'tool', content: '4 Bft', tool_name: 'wind', tool_call_id: 'a' },
  ])
})

it('reads the AI SDK’s: reasoning, calls and several results in one message', () => {
  const result = (toolCallId: string, output: unknown) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output,
  })
  expect(
    toOllamaMessages([
      { role: 'user', content: [{ type: 'image', image: new Uint8Array([1, 2, 3]) }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'sea' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          result('a', {
            type: 'content',
            value: [
              { type: 'text', text: 'seen' },
              { type: 'media', data: png, mediaType: 'image/png' },
            ],
          }),
          result('b', { type: 'json', value: { fog: true } }),
        ],
      },
    ]),
  ).toEqual([
    { role: 'user', content: '', images: ['AQID'] },
    {
      role: 'assistant',
      content: 'I look.',
      thinking: 'hm',
      tool_calls: [
        { id: 'a', function: { name: 'look', arguments: { at: 'sea' } } },
        { id: 'b', function: { name: 'look', arguments: {} } },
      ],
    },
    { role: 'tool', content: 'seen', images: [png], tool_name: 'look', tool_call_id: 'a' },
    { role: 'tool', content: '{"fog":true}', tool_name: 'look', tool_call_id: 'b' },
  ])
})

it('keeps arguments that are no object readable', () => {
  const calls = ['{"city":"Ki', '[1]', '"x"'].map(text => ({
    type: 'function',
    function: { name: 'wind', arguments: text },
  }))
  const [message] = toOllamaMessages([{ role: 'assistant', tool_calls: calls }])
  const sent = message!.tool_calls as readonly {
    readonly function: { readonly arguments: unknown }
  }[]
  expect(sent.map(call => call.function.arguments)).toEqual([
    { arguments: '{"city":"Ki' },
    { arguments: '[1]' },
    { arguments: '"x"' },
  ])
})

it.each([
  [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }, 'base64'],
  [{ type: 'image', image: new URL('https://a.example/b.png') }, 'base64'],
  [{ type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf' }, 'images only'],
  [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'images only'],
  [{ type: 'image', image: { 0: 1, 1: 2 } }, 'must hold'],
])('refuses a file that Ollama cannot take, and says what to do: %j', (part, words) => {
  const make = () =>
    toOllamaMessages([
      { role: 'user', content: 'a' },
      { role: 'user', content: [part] },
    ])
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_message', seq: 1 }))
  expect(make).toThrow(words)
})
