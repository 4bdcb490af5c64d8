import type { MessageLike } from '@throughline/core/messages'
import { everyStore } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory, type History } from '../src/index.ts'

async function write(
  history: History,
  conversation: string,
  ...turns: readonly (readonly MessageLike[])[]
) {
  for (const [first, ...rest] of turns) {
    const begun = await history.thread(conversation).begin(first!)
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    await begun.turn.complete(rest)
  }
}

const user = (content: string) => ({ role: 'user', content })
const said = (content: string) => ({ role: 'assistant', content })
const calling = (id: string, name: string, json: string) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, type: 'function', function: { name, arguments: json } }],
})
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
const note = (content: string) => ({ role: 'assistant_note', content })

describe.each(await everyStore())('search on %s', (_, create) => {
  const found = async (history: History, query: string, options = {}) =>
    (await history.search(query, options)).map(({ seq, snippet }) => [seq, snippet])

  it('finds what a user may see, and what he may not only where everything is asked for', async () => {
    const history = createHistory({ store: create() })
    await write(history, 'trip', [
      user('the heron'),
      calling('a', 'write_note_to_self', '{"note":"osprey heron"}'),
      result('a', 'osprey kept'),
      calling('b', 'echo', JSON.stringify({ text: 'a heron [NOTE TO SELF: the osprey nests]' })),
      result('b', 'You said: osprey, heron'),
      calling('c', 'look', '{"for":"heron"}'),
      result('c', 'a heron on a pole'),
      said('The heron is there.'),
      note('osprey at the heron'),
    ])
    expect(await found(history, 'osprey')).toEqual([])
    expect(await found(history, 'write_note_to_self')).toEqual([])
    const shown = await found(history, 'heron')
    expect(shown.map(([seq]) => seq).sort()).toEqual([1, 4, 6, 7, 8])
    expect(JSON.stringify(shown)).not.toContain('osprey')
    const everything = await found(history, 'osprey', { scope: 'everything' })
    expect(everything.map(([seq]) => seq).sort()).toEqual([2, 3, 4, 5, 9])
    expect(everything.map(([, text]) => text)).toContain('osprey at the heron')
  })

  it('puts what has the most and the rarest of the words first, in all conversations or in one', async () => {
    const history = createHistory({ store: create() })
    await write(history, 'old', [
      user('Our boat, the Kittiwake, lies at berth 12.'),
      said('Noted.'),
    ])
    for (let n = 0; n < 8; n++)
      await write(history, 'new', [
        user(`The boat was washed ${n} times.`),
        said('And the berth is dry.'),
      ])
    const best = async (query: string, options = {}) =>
      (await history.search(query, options)).map(
        ({ thread, seq }) => `${thread.conversation} ${seq}`,
      )
    expect((await best('Where did the boat Kittiwake lie?'))[0]).toBe('old 1')
    expect((await best('kittiwake submarine')).join()).toBe('old 1')
    expect((await best('boat'))[0]).toBe('new 15')
    expect((await best('the boat kittiwake', { conversation: 'new' })).join()).not.toContain('old')
    expect(await best('kittiwake', { conversation: 'new' })).toEqual([])
    expect(await best('what is it')).toEqual([])
    expect(await best('was the')).toHaveLength(8)
    const [quote] = await history.search('kittiwake', { characters: 900 })
    expect(quote!.snippet).toBe('Our boat, the Kittiwake, lies at berth 12.')
  })

  it('ranks by what may be seen alone, not by a word in a note', async () => {
    const history = createHistory({ store: create() })
    await write(history, 'trip', [
      user('hello'),
      calling('b', 'echo', JSON.stringify({ text: 'a heron [NOTE TO SELF: an osprey]' })),
      result('b', 'done'),
      said('ok'),
    ])
    const shown = await found(history, 'heron osprey')
    expect(shown).toEqual(await found(history, 'heron submarine'))
    expect(JSON.stringify(shown)).toContain('heron')
    expect(JSON.stringify(shown)).not.toContain('osprey')
    expect(await found(history, 'heron osprey', { scope: 'everything' })).toHaveLength(1)
  })

  it('finds no data, no view and nothing that closes a turn', async () => {
    const history = createHistory({ store: create() })
    const thread = history.thread('trip')
    const begun = await thread.begin(user('the heron'))
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    await begun.turn.append({
      message: said('A heron.'),
      view: said('An osprey.'),
      data: { secret: 'heron osprey' },
    })
    await begun.turn.fail('overheated')
    expect(await found(history, 'osprey')).toEqual([])
    expect(await found(history, 'overheated')).toEqual([])
    expect(await found(history, 'heron')).toEqual([
      [2, 'A heron.'],
      [1, 'the heron'],
    ])
    expect(await found(history, 'osprey', { scope: 'everything' })).toHaveLength(1)
  })

  it('gives as many as were asked for, however many newer ones are hidden', async () => {
    const history = createHistory({ store: create() })
    await write(history, 'old', ...[1, 2, 3].map(n => [user(`pelican ${n}`), said('yes')]))
    await write(
      history,
      'new',
      ...Array.from({ length: 12 }, (_, n) => [
        user(`hello ${n}`),
        said('yes'),
        ...Array.from({ length: 10 }, () => note('pelican')),
      ]),
    )
    expect((await found(history, 'pelican', { limit: 2 })).map(([, text]) => text)).toEqual([
      'pelican 3',
      'pelican 2',
    ])
    expect(await found(history, 'pelican')).toHaveLength(3)
    expect(await found(history, 'pelican', { limit: 50, scope: 'everything' })).toHaveLength(50)
  })

  it('quotes the line that matches, not a part of another word', async () => {
    const history = createHistory({ store: create() })
    const log = [
      'commit 9c05ab secret 4405',
      ...Array.from({ length: 40 }, (_, n) => `line ${n}: the weather of the day`),
      'SECRET_04=rowan',
      'SECRET_05=juniper',
      'SECRET_06=hazel',
      'done',
    ].join('\n')
    await write(history, 'env', [
      user('Show it.'),
      calling('a', 'read', '{"path":".env"}'),
      result('a', log),
      said('There.'),
    ])
    const [[, quote] = []] = await found(history, 'SECRET_05')
    expect(quote).toContain('SECRET_05=juniper')
    const [[, lines] = []] = await found(history, 'SECRET_05', { characters: 60, lines: true })
    expect(lines).toBe('…SECRET_04=rowan\nSECRET_05=juniper\nSECRET_06=hazel…')
  })

  it('ranks a conversation by its whole and by its best message', async () => {
    const history = createHistory({ store: create() })
    await write(
      history,
      'sailing',
      ...['A sail tore.', 'We mend the sail.', 'Sails and masts.'].map(text => [user(text)]),
    )
    await write(
      history,
      'shopping',
      [user('We need a sail, a pan and bread.')],
      [user('And milk.')],
    )
    await write(history, 'other', [user('Bread rises slowly.')], [user('Masts are tall.')])
    const order = async (query: string) => [
      ...new Set((await history.search(query)).map(({ thread }) => thread.conversation)),
    ]
    expect((await order('sails'))[0]).toBe('sailing')
    expect((await order('mending sails'))[0]).toBe('sailing')
    expect((await order('bread sail'))[0]).toBe('shopping')
  })

  it('hides notes whatever their nonce', async () => {
    const history = createHistory({ store: create() })
    const text = '[NOTE TO SELF x7: an osprey]'
    await write(history, 'trip', [
      user('hi'),
      calling('b', 'echo', JSON.stringify({ text })),
      result('b', text),
      said('ok'),
    ])
    expect(await found(history, 'osprey')).toEqual([])
  })
})
