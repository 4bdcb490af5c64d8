import { expect, it } from 'vitest'
import { eachOpenAi } from './write-request.ts'

const toOpenAiMessages = (messages: Parameters<typeof eachOpenAi>[0]) => eachOpenAi(messages).flat()

const png = 'iVBORw0KGgo='

it('leaves OpenAI’s own messages as they are, without keys that it does not know', () => {
  const messages = [
    { role: 'developer', content: 'You sail.' },
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
        { type: 'file', file: { file_id: 'f1' } },
        { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'wind', arguments: '{ "city": "Kiel" }' } },
        { id: 'b', type: 'custom', custom: { name: 'sql', input: 'select 1' } },
      ],
    },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: '1' }] },
    { role: 'tool', tool_call_id: 'a', content: '4 Bft' },
    { role: 'assistant', content: 'Done.' },
  ]
  const given = messages.map((message, at) => ({
    ...message,
    id: `e${at}`,
    time: 1,
    reasoning: 'hm',
  }))
  expect(toOpenAiMessages(given)).toEqual(messages)
})

it('reads Ollama’s: images, arguments as an object, calls without ids', () => {
  const call = (city: string) => ({ function: { name: 'wind', arguments: { city } } })
  expect(
    toOpenAiMessages([
      { role: 'user', content: 'look', images: [png, '/9j/4AAQ'] },
      { role: 'assistant', content: '', thinking: 'hm', tool_calls: [call('Kiel'), call('Bonn')] },
      { role: 'tool', tool_name: 'wind', content: '4 Bft' },
      { role: 'tool', tool_name: 'wind', content: '1 Bft' },
    ]),
  ).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQ' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'wind', arguments: '{"city":"Kiel"}' },
        },
        {
          id: 'call_2',
          type: 'function',
          function: { name: 'wind', arguments: '{"city":"Bonn"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '4 Bft' },
    { role: 'tool', tool_call_id: 'call_2', content: '1 Bft' },
  ])
})

it('reads the AI SDK’s: files, calls and several results in one message', () => {
  const result = (toolCallId: string, value: string) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'text', value },
  })
  expect(
    toOpenAiMessages([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look', providerOptions: { a: {} } },
          { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/webp' },
          { type: 'image', image: 'https://a.example/b.png' },
          { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
          { type: 'file', data: 'AAAA', mediaType: 'audio/mpeg' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'sea' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
        ],
      },
      { role: 'tool', content: [result('a', 'fog'), result('b', 'sun')] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Fog.' },
        ],
      },
    ]),
  ).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/webp;base64,AQID' } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } },
        { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'fog' },
    { role: 'tool', tool_call_id: 'b', content: 'sun' },
    { role: 'assistant', content: 'Fog.' },
  ])
})

it('puts the images of a result behind its text', () => {
  const output = {
    type: 'content',
    value: [
      { type: 'text', text: 'seen' },
      { type: 'image-data', data: png, mediaType: 'image/png' },
    ],
  }
  const messages = toOpenAiMessages([
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output }] },
  ])
  expect(messages).toEqual([
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'seen' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
  ])
})

it('refuses a note and a file by its address', () => {
  expect(() => toOpenAiMessages([{ role: 'assistant_note', content: 'x' }])).toThrow('is a note')
  const part = { type: 'file', data: 'https://a.example/b.pdf', mediaType: 'application/pdf' }
  expect(() => toOpenAiMessages([{ role: 'user', content: [part] }])).toThrow('base64')
})
