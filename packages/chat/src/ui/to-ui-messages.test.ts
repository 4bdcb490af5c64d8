import type { MessageLike } from '@throughline/core/messages'
import { createHistory, type SeenMessage } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { validateUIMessages } from 'ai'
import { expect, it } from 'vitest'
import { toUIMessages } from './to-ui-messages.ts'

/** What the messages of a thread become, checked by the AI SDK itself. */
async function shown(...messages: readonly (MessageLike | SeenMessage)[]) {
  const thread = createHistory({ store: memoryStore() }).thread('ada')
  await thread.seed(...messages)
  const found = toUIMessages(await thread.display())
  if (found.length > 0) await validateUIMessages({ messages: found })
  return found.map(({ role, parts }) => ({
    role,
    parts: parts.filter(({ type }) => type !== 'step-start'),
  }))
}

const user = (content: unknown) => ({ role: 'user', content })
const calling = (...calls: readonly object[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: calls,
})
const look = (id: string, json = '{"at":"sea"}') => ({
  id,
  function: { name: 'look', arguments: json },
})
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
const done = { state: 'done' }

it('shows nothing of nothing', async () => {
  expect(await shown()).toEqual([])
})

it('shows all that answers a user message as one message', async () => {
  const found = await shown(
    user('Hello.'),
    { role: 'assistant', content: 'Hm. ', thinking: 'Is it a greeting?' },
    calling(look('c1'), look('c2', '"odd"')),
    result('c2', 'Error: fog'),
    result('c1', '{"boats":2}'),
    { role: 'assistant', content: 'Two boats.' },
    user('Thanks.'),
  )
  expect(found).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'Hello.', ...done }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Is it a greeting?', ...done },
        { type: 'text', text: 'Hm. ', ...done },
        {
          ...{ type: 'tool-look', toolCallId: 'c1', input: { at: 'sea' } },
          ...{ state: 'output-available', output: { boats: 2 } },
        },
        {
          ...{ type: 'tool-look', toolCallId: 'c2', input: '"odd"' },
          ...{ state: 'output-error', errorText: 'Error: fog' },
        },
        { type: 'text', text: 'Two boats.', ...done },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'Thanks.', ...done }] },
  ])
})

it('tells calls apart that have the same id or none, and those that wait from those that nobody answered', async () => {
  const bare = { function: { name: 'look', arguments: {} } }
  const [, answered, , waiting] = await shown(
    user('a'),
    calling(look('c1')),
    result('c1', 'one'),
    calling(look('c1')),
    result('c1', 'two'),
    calling(bare, bare),
    { role: 'tool', tool_name: 'look', content: 'three' },
    user('b'),
    calling(look('c1')),
  )
  const of = (message: typeof answered) =>
    message!.parts.map(part => {
      const { state, output } = part as { state: string; output?: unknown }
      return [state, output]
    })
  expect(of(answered)).toEqual([
    ['output-available', 'one'],
    ['output-available', 'two'],
    ['output-available', 'three'],
    ['output-error', undefined],
  ])
  const ids = answered!.parts.map(part => (part as { toolCallId: string }).toolCallId)
  expect(new Set(ids).size).toBe(4)
  expect(of(waiting)).toEqual([['input-available', undefined]])
})

it('shows texts, images and files of a user in their order, and no address that a browser must not follow', async () => {
  const image = 'data:image/png;base64,AAAA'
  const [message] = await shown(
    user([
      { type: 'image_url', image_url: { url: image } },
      { type: 'text', text: 'What is it?' },
      {
        type: 'file',
        data: 'https://example.org/a.pdf',
        mediaType: 'application/pdf',
        filename: 'a.pdf',
      },
      { type: 'image_url', image_url: { url: 'javascript:alert(1)' } },
    ]),
  )
  expect(message!.parts).toEqual([
    { type: 'file', mediaType: 'image/png', url: image },
    { type: 'text', text: 'What is it?', ...done },
    {
      type: 'file',
      mediaType: 'application/pdf',
      url: 'https://example.org/a.pdf',
      filename: 'a.pdf',
    },
  ])
})

it('knows of each result whether its tool failed, whatever its text says', async () => {
  const found = await shown(
    user('Hello.'),
    calling(look('c1'), look('c2'), look('c3')),
    { message: result('c1', 'Error: 404 pages found'), isError: false },
    { message: result('c2', 'no boats'), isError: true },
    result('c3', 'Error: fog'),
  )
  expect(found[1]?.parts.map(part => 'state' in part && part.state)).toEqual([
    ...['output-available', 'output-error', 'output-error'],
  ])
})
