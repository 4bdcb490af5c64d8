import { isLong } from '@throughline/test-tools/is-long'
import { fit, InvalidMessageError, parseMessage } from 'throughline'
import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { toDisplay } from 'throughline/notes'
import { memoryStore } from 'throughline/stores'
import { assistant, user, words } from 'throughline/testing'
import { describe, expect, it } from 'vitest'

const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }
const forms: Readonly<Record<string, object>> = {
  tool_calls: { content: 'hi', tool_calls: [call] },
  'tool_calls of Ollama': {
    content: 'hi',
    tool_calls: [{ function: { name: 'read', arguments: {} } }],
  },
  function_call: { content: 'hi', function_call: { name: 'read', arguments: '{}' } },
  'a tool-call part': {
    content: [
      { type: 'text', text: 'hi' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
    ],
  },
}
const roles = ['user', 'system', 'developer', 'tool', 'assistant_note']
const given = Object.entries(forms).flatMap(([form, fields]) =>
  roles.map(role => [form, role, { role, ...fields }] as const),
)

describe('tool calls in a message that cannot call', () => {
  it.each(given)('are refused at the door: %s of a %s message', (_form, _role, message) => {
    const problem =
      /has tool calls, which only an assistant message may have.*remove them, or give it the role/
    expect(() => parseMessage(message, 3)).toThrow(InvalidMessageError)
    expect(() => parseMessage(message, 3)).toThrow(problem)
  })

  it.each(given)(
    'are no calls in a list that holds them: %s of a %s message',
    (_form, role, message) => {
      const answer = { role: 'tool', tool_call_id: 'a', content: 'never asked for' }
      for (const shape of ['free', 'alternating'] as const) {
        const list = [user('one'), assistant('two'), message, answer, user('three')]
        const { messages, receipt } = fit(list, { window: 4096, count: words(), shape })
        expect(JSON.stringify(messages)).not.toMatch(/"read"|never asked for/)
        expect(receipt.entries[3]).toMatchObject({ fate: 'omitted', rule: 'valid sequence' })
        if (role === 'user' && shape === 'free')
          expect(receipt.entries[2]).toMatchObject({
            fate: 'altered',
            rule: 'valid sequence',
            why: 'only the assistant calls tools: its calls are not sent',
          })
        expect(toDisplay(list).length).toBeGreaterThan(2)
      }
    },
  )

  it('are not written: neither by a turn, nor by a chat', async () => {
    const history = createHistory({ store: memoryStore() })
    const thread = history.thread('c')
    const message = { role: 'user', ...forms.tool_calls } as { role: string }
    await expect(thread.begin(message)).rejects.toThrow(InvalidMessageError)
    const begun = await thread.begin({ role: 'user', content: 'hi' })
    if (begun.kind !== 'begun') throw new Error('not begun')
    await expect(begun.turn.append(message)).rejects.toThrow(InvalidMessageError)
    await begun.turn.complete({ role: 'assistant', content: 'hello' })
    expect((await thread.entries()).map(entry => entry.message.role)).toEqual(['user', 'assistant'])
    const lines: string[] = []
    for await (const line of history.export('c'))
      lines.push(
        line.replace('"content":"hi"', '"content":"hi","tool_calls":[{"function":{"name":"f"}}]'),
      )
    await expect(history.import(lines, { as: 'd' })).rejects.toThrow(
      /has tool calls, which only an assistant/,
    )
    const chat = createChat({ model: reader(), window: 4096, history })
    expect(() => chat.send(message, { conversation: 'c' })).toThrow(InvalidMessageError)
  })
})

describe('a log that holds such a message from before', () => {
  it('goes on: its contexts leave the calls out', async () => {
    const store = memoryStore()
    const planted = JSON.stringify({ message: { role: 'user', ...forms.tool_calls } })
    const begin: typeof store.begin = (key, turn) =>
      store.begin(key, {
        ...turn,
        entries: turn.entries.map(entry => ({ ...entry, payload: planted })),
      })
    const thread = createHistory({ store: { ...store, begin } }).thread('c')
    for (const reply of ['one', 'two']) {
      const begun = await thread.begin({ role: 'user', content: 'hi' })
      if (begun.kind !== 'begun') throw new Error('not begun')
      await begun.turn.complete({ role: 'assistant', content: reply })
    }
    const { messages } = await thread.context({ window: 4096 })
    expect(messages.map(message => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(JSON.stringify(messages)).not.toContain('tool_calls')
    expect(await thread.display()).toHaveLength(4)
  })
})

describe('calls in an odd form', () => {
  const empty = { tool_calls: [] }
  const nothing = { tool_calls: null, function_call: null }
  const legacy = { function_call: { name: 'read', arguments: '{}' } }
  const sdk = [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }]
  const result = { role: 'tool', tool_call_id: 'a', name: 'read', content: 'ok' }
  const callers: readonly object[] = [
    { content: '', ...legacy },
    { content: null, ...empty, ...legacy },
    { content: '', tool_calls: null, ...legacy },
    { content: '', tool_calls: [call] },
    { content: '', tool_calls: [call], function_call: null },
    { content: sdk },
    { content: sdk, ...empty },
    { content: sdk, ...nothing },
  ]
  const talkers: readonly object[] = [
    { content: 'two' },
    { content: 'two', ...empty },
    { content: 'two', ...nothing },
    { content: 'two', ...empty, ...nothing },
    { content: [], function_call: null },
    { content: [{ type: 'text', text: 'two' }], ...empty },
  ]
  const pairs = talkers.flatMap(talker => callers.map(caller => [talker, caller] as const))

  it.each(pairs)(
    'stay with their results when roles take turns: %j before %j',
    (talker, caller) => {
      const list = [
        user('one'),
        { role: 'assistant', ...talker },
        { role: 'assistant', ...caller },
        result,
        assistant('three'),
      ]
      const { messages } = fit(list, { window: 4096, count: words(), shape: 'alternating' })
      expect(messages.map(message => message.role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
      ])
      expect(parseMessage(messages[1], 1).calls).toHaveLength(1)
      expect((messages[1] as { tool_calls?: unknown }).tool_calls).not.toEqual([])
    },
  )
})

if (!isLong) console.info('Skipped: a round of 130,000 calls, only in the long run')

it.runIf(isLong)('takes a round of 130,000 calls and results', () => {
  const many = <T>(make: (id: string) => T) =>
    Array.from({ length: 130_000 }, (_, n) => make(`c${n}`))
  const list = [
    user('q'),
    { role: 'assistant', content: '', tool_calls: many(id => ({ ...call, id })) },
    ...many(id => ({ role: 'tool', tool_call_id: id, content: `result ${id}` })).reverse(),
    user('more'),
  ]
  expect(fit(list, { window: 10_000_000, count: words() }).messages).toHaveLength(130_003)
})
