import type { Model, ModelPart } from '@throughline/models'
import { inChat, newHistory, partsOf } from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

/** A model that gives these replies, call by call, then `Done.` */
function scripted(...answers: readonly (readonly ModelPart[])[]): Model {
  let at = 0
  return {
    name: 'scripted',
    window: async () => 4096,
    async *stream() {
      yield* answers[at++] ?? [{ type: 'text-delta', text: 'Done.' }]
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
}
const calling = (id: string, name: string, input: unknown): ModelPart => ({
  type: 'tool-call',
  id,
  name,
  arguments: JSON.stringify(input),
})
const posted: unknown[] = []
const post = defineTool({
  name: 'post',
  input: z.object({ text: z.string() }),
  run: input => {
    posted.push(input)
    return `Posted: ${input.text}`
  },
})

describe('what a model writes for itself', () => {
  it.each([false, true])(
    'with a tool that nobody offered is not shown (notes: %s)',
    async notes => {
      const model = scripted([
        calling('a', 'write_note_to_self', { note: 'the secret' }),
        calling('b', 'post', { text: 'Hello.' }),
      ])
      const parts = await partsOf(
        createChat({ history: newHistory(), model, notes, tools: [post] }).send('Post it.', inChat),
      )
      // Contexts and notes are for the application, not for its user.
      const shown = parts.filter(({ type }) => type !== 'context' && type !== 'note')
      expect(JSON.stringify(shown)).not.toMatch(/secret|write_note/)
      expect(shown.map(({ type }) => type)).toEqual([
        'tool-call',
        'tool-result',
        'text-delta',
        'end',
      ])
    },
  )

  it('into the arguments of a call is not shown, live and when it is asked for again', async () => {
    const history = newHistory()
    const input = { text: 'Hello. [NOTE TO SELF x7: the secret]' }
    const chat = createChat({
      history,
      model: scripted([calling('a', 'post', input)]),
      notes: { nonce: 'x7' },
      tools: [post],
    })
    for (const _ of ['live', 'again']) {
      const parts = await partsOf(chat.send('Post it.', { ...inChat, key: 'k1' }))
      const call = parts.find(({ type }) => type === 'tool-call')
      expect(call).toEqual({
        type: 'tool-call',
        id: 'a',
        name: 'post',
        arguments: '{"text":"Hello."}',
      })
      // The tool repeats what it was given.
      const result = parts.find(({ type }) => type === 'tool-result')
      expect(result).toMatchObject({
        text: '[Not shown: the call carried a note.]',
        isError: false,
      })
    }
    // The tool and the log have it as it was written.
    expect(posted.at(-1)).toEqual(input)
    expect(JSON.stringify(await history.thread('chat').messages())).toContain('the secret')
  })
})

it('shows what was held back at the end of a thought', async () => {
  const model = scripted([
    { type: 'thinking-delta', text: 'See [' },
    { type: 'thinking-delta', text: 'NO' },
    { type: 'text-delta', text: 'Yes.' },
  ])
  const reply = createChat({ model, notes: true }).respond([{ role: 'user', content: 'Well?' }])
  const thought = (await partsOf(reply)).flatMap(part =>
    part.type === 'thinking-delta' ? [part.text] : [],
  )
  expect(thought.join('')).toBe('See [NO')
  expect(reply.messages).toEqual([{ role: 'assistant', content: 'Yes.', thinking: 'See [NO' }])
})

it('gives calls different ids, whichever they came with', async () => {
  const ids = ['call_2', '', 'call_2', '']
  const model = scripted(ids.map(id => calling(id, 'post', { text: id })))
  const reply = createChat({ model, tools: [post] }).respond([{ role: 'user', content: 'Post.' }])
  const calls = (await partsOf(reply)).flatMap(part => (part.type === 'tool-call' ? [part.id] : []))
  expect(calls).toHaveLength(4)
  expect(new Set(calls).size).toBe(4)
})
