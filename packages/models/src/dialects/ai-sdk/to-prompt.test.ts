import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { MessageLike } from '@throughline/core/messages'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { aiSdk } from './ai-sdk.ts'
import { toPrompt } from './to-prompt.ts'
import { startUpstream } from './upstream.fixture.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'

/** One conversation, as each of three clients has it. */
const dialects: Readonly<Record<string, readonly MessageLike[]>> = {
  ollama: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Which berths are free?', images: [png] },
    {
      role: 'assistant',
      content: 'I look.',
      thinking: 'Two lists.',
      tool_calls: [
        { function: { name: 'berths', arguments: { pier: 'A' } } },
        { function: { name: 'berths', arguments: { pier: 'B' } } },
      ],
    },
    { role: 'tool', tool_name: 'berths', content: '12' },
    { role: 'tool', tool_name: 'berths', content: '{"free":[14]}' },
  ],
  openai: [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Which berths are free?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'Two lists.',
      tool_calls: [
        {
          id: 'call_2_0',
          type: 'function',
          function: { name: 'berths', arguments: '{"pier":"A"}' },
        },
        {
          id: 'call_2_1',
          type: 'function',
          function: { name: 'berths', arguments: '{"pier":"B"}' },
        },
      ],
    } as MessageLike,
    { role: 'tool', tool_call_id: 'call_2_0', content: '12' },
    { role: 'tool', tool_call_id: 'call_2_1', content: '{"free":[14]}' },
  ],
  'ai-sdk': [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Which berths are free?' },
        { type: 'image', image: png },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Two lists.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'call_2_0', toolName: 'berths', input: { pier: 'A' } },
        { type: 'tool-call', toolCallId: 'call_2_1', toolName: 'berths', input: { pier: 'B' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_2_0',
          toolName: 'berths',
          output: { type: 'text', value: '12' },
        },
        {
          type: 'tool-result',
          toolCallId: 'call_2_1',
          toolName: 'berths',
          output: { type: 'json', value: { free: [14] } },
        },
      ],
    },
  ] satisfies ModelMessage[],
}

describe('toPrompt', () => {
  it.each(Object.keys(dialects))('%s arrives at the server as the others do', async name => {
    const upstream = await startUpstream(() => ({ text: ['12 and 14'] }))
    const real = createOpenAICompatible({ name: 'local', baseURL: upstream.url })
    for await (const _ of aiSdk(real('m')).stream({ messages: dialects[name]! })) void _
    await upstream.close()
    const call = (id: string, pier: string) => ({
      id,
      type: 'function',
      function: { name: 'berths', arguments: `{"pier":"${pier}"}` },
    })
    expect(upstream.bodies[0]!.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which berths are free?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Two lists.',
        tool_calls: [call('call_2_0', 'A'), call('call_2_1', 'B')],
      },
      { role: 'tool', tool_call_id: 'call_2_0', content: '12' },
      { role: 'tool', tool_call_id: 'call_2_1', content: '{"free":[14]}' },
    ])
  })

  it('sends files of every kind, in the form of the model’s own version', async () => {
    const upstream = await startUpstream(() => ({ text: ['ok'] }))
    const real = createOpenAICompatible({ name: 'local', baseURL: upstream.url })
    const content = [
      { type: 'image', image: new URL('https://x.test/a.png') },
      { type: 'image', image: new Uint8Array([1, 2, 3]), mediaType: 'image/png' },
      { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: { type: 'data', data: 'UklG' }, mediaType: 'audio/wav' },
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://x.test/b.png') },
        mediaType: 'image/png',
      },
    ]
    for await (const _ of aiSdk(real('m')).stream({ messages: [{ role: 'user', content }] })) void _
    await upstream.close()
    expect(upstream.bodies[0]!.messages[0]!.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      {
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { type: 'image_url', image_url: { url: 'https://x.test/b.png' } },
    ])
  })

  it('leaves parts of the AI SDK as they are, with what they say to their provider', () => {
    const thought = {
      type: 'reasoning',
      text: 'Hm.',
      providerOptions: { anthropic: { signature: 's' } },
    }
    const cache = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    const [message] = toPrompt([
      { role: 'assistant', content: [thought], providerOptions: cache } as MessageLike,
    ])
    expect(message!.content[0]).toBe(thought)
    expect(message!.providerOptions).toBe(cache)
  })

  it.each([
    [
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      new URL('https://x.test/a.png'),
      'image/*',
    ],
    [
      { type: 'image', image: new Uint8Array([1]), mediaType: 'image/gif' },
      new Uint8Array([1]),
      'image/gif',
    ],
    [{ type: 'image', image: '/9j/4AAQ' }, '/9j/4AAQ', 'image/jpeg'],
    [{ type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } }, 'UklG', 'audio/wav'],
    [
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } },
      'JVBE',
      'application/pdf',
    ],
    [{ type: 'file', file: { file_id: 'file-abc' } }, 'file-abc', 'application/octet-stream'],
  ])('%j is a file', (part, data, mediaType) => {
    const [message] = toPrompt([{ role: 'user', content: [part] }])
    expect(message!.content).toEqual([{ type: 'file', data, mediaType }])
  })

  it('shows an image that a tool gave', () => {
    const call = { id: 'a', function: { name: 'look', arguments: {} } }
    const [, result] = toPrompt([
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'The pier:', images: [png] },
    ])
    const value = [
      { type: 'text', text: 'The pier:' },
      { type: 'image-data', data: png, mediaType: 'image/png' },
    ]
    expect(result!.content[0]).toMatchObject({
      toolName: 'look',
      output: { type: 'content', value },
    })
  })

  it('sends a result that is a list of texts as a text', () => {
    const call = { id: 'a', function: { name: 'look', arguments: {} } }
    const [, result] = toPrompt([
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: ['The pier'] },
    ])
    expect(result!.content[0]).toMatchObject({ output: { type: 'text', value: 'The pier' } })
  })

  it('sends arguments back that are no JSON, as the model wrote them', () => {
    const call = { id: 'a', function: { name: 'look', arguments: '{"pier": ' } }
    const [message] = toPrompt([{ role: 'assistant', content: '', tool_calls: [call] }])
    expect(message!.content).toEqual([
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"pier": ' },
    ])
  })

  it('gives calls without an id one that no other call has', () => {
    const round = [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'look', arguments: {} } }],
      },
      { role: 'tool', tool_name: 'look', content: 'ok' },
    ]
    const ids = toPrompt([...round, ...round]).map(
      ({ content }) => (content[0] as { toolCallId: string }).toolCallId,
    )
    expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]])
    expect(ids[0]).not.toBe(ids[2])
  })

  it('refuses a note, as every model does', () => {
    expect(() => toPrompt([{ role: 'assistant_note', content: 'x' }])).toThrow(
      /Message 0: is a note/,
    )
  })
})
