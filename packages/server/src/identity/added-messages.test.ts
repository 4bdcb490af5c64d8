import { fitPrompt } from '@throughline/chat/bridges'
import { balanced, fit, stable, thorough, tiered } from '@throughline/core/context'
import { addedTexts } from '@throughline/core/fixtures'
import {
  actionsTitle,
  type MessageLike,
  markerText,
  notesTitle,
  previousActionsTitle,
  recallTitle,
} from '@throughline/core/messages'
import { assistant, note, result, system, user } from '@throughline/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addedMessages as findAdded } from './added-messages.ts'
import { clientMessages } from './client-message.ts'

const addedMessages = (list: readonly MessageLike[]) => findAdded(clientMessages(list))

const call = (id: string) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, type: 'function', function: { name: 'tide', arguments: '{"day":1}' } }],
})

/** A talk with tools and notes; the last turn is long if `rounds` is. A program may have put messages behind its request. */
function talk(
  turns: number,
  rounds: number,
  behind: readonly MessageLike[] = [],
): readonly MessageLike[] {
  const messages: MessageLike[] = [system('You keep a harbour.'), user('My boat is called Heron.')]
  messages.push(assistant('Noted.'))
  for (let turn = 0; turn < turns; turn++) {
    messages.push(
      user(`Question ${turn} about the tides and the weather of the bay. Is my boat there?`),
    )
    if (turn % 3 === 0) messages.push(call(`c${turn}`), result(`c${turn}`, `high at ${turn}`))
    messages.push(assistant(`Answer ${turn}: nothing changes today.`))
    if (turn % 4 === 0) messages.push(note(`Looked at day ${turn}.`))
  }
  messages.push(user('What is my boat called?'), ...behind)
  for (let round = 0; round < rounds; round++)
    messages.push(call(`r${round}`), result(`r${round}`, `high at ${round}`))
  return messages
}

describe('addedMessages', () => {
  it.each([
    ['balanced', balanced()],
    ['thorough', thorough()],
    ['stable', stable()],
    ['tiered', tiered({ full: 2 })],
  ])('finds all that fit has added with the policy %s, and nothing else', (_, policy) => {
    const parts = new Set<string>()
    const next = [assistant('It is called Heron.'), user('And the tides?')]
    const reminded = talk(12, 40, [system('Keep to the harbour.')])
    const long = [talk(12, 40), talk(0, 60), reminded]
    for (const messages of [talk(40, 0), ...long, ...long.map(turn => [...turn, ...next])])
      for (let window = 600; window < 1800; window += 150)
        for (const fitted of [fit, fitPrompt]) {
          const { messages: sent, receipt } = fitted(messages, { window, policy })
          const added = addedTexts(receipt).filter(({ place }) => sent[place]!.role !== 'tool')
          for (const { part } of added) parts.add(part)
          expect([...addedMessages(sent)].toSorted((a, b) => a - b)).toEqual(
            added.map(({ place }) => place),
          )
        }
    expect(parts.size).toBeGreaterThan(1)
  })

  const looksAlike = fc.constantFrom(
    markerText,
    `${recallTitle}\n#3 user: My code is 4471.`,
    `${notesTitle}\nAsk about the boat.`,
    `${actionsTitle}\n1. [tide] day=1 → high`,
    `${previousActionsTitle} 1. [tide] day=1 → high`,
    '[Previous: "Is it there?" → Yes.]',
  )
  const texts = fc.oneof(looksAlike, fc.constantFrom('Hello.', 'Is my boat there?'))
  const turns = fc.array(
    fc.record({ question: texts, rounds: fc.nat({ max: 2 }), isAnswered: fc.boolean() }),
  )

  /** Fails if a rule takes for added what a user has typed and what was answered. */
  const checkTyped = (find: typeof addedMessages) =>
    fc.assert(
      fc.property(turns, fc.string(), (turns, last) => {
        const list = turns.flatMap(({ question, rounds }, turn) => [
          user(question),
          ...Array.from({ length: rounds }, (_, round) => `${turn}.${round}`).flatMap(id => [
            call(id),
            result(id, '1'),
          ]),
          assistant('Well.'),
        ])
        expect([...find([...list, user(last)])]).toEqual([])
      }),
      { seed: 4 },
    )

  it('takes nothing for added that a user has typed and that was answered', () => {
    checkTyped(addedMessages)
    const byFormAlone = (list: readonly MessageLike[]) =>
      new Set(list.flatMap(({ content }, at) => (String(content).startsWith('[') ? [at] : [])))
    expect(() => checkTyped(byFormAlone)).toThrow()
  })

  it('never takes the first user message, the newest message, an answer or an image', () => {
    fc.assert(
      fc.property(turns, looksAlike, (turns, last) => {
        const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
        const list = [
          ...turns.flatMap(({ question, isAnswered }) => [
            user(question),
            ...(isAnswered ? [assistant(question)] : []),
          ]),
          { role: 'user', content: [{ type: 'text', text: last }, image] },
          user(last),
        ]
        const places = addedMessages(list)
        for (const at of places) expect(list[at]!.role).toBe('user')
        expect(places.has(0)).toBe(false)
        expect(places.has(list.length - 1)).toBe(false)
        expect(places.has(list.length - 2)).toBe(false)
      }),
      { seed: 4 },
    )
  })
})

it('reads a list that begins with what looks added', () => {
  const first = { role: 'system', content: `${actionsTitle}\n1. [tide] day=1 → high` }
  const marker = { role: 'system', content: markerText }
  expect([
    ...addedMessages([first, user('Hello.'), marker, user('And?'), assistant('Well.')]),
  ]).toEqual([2])
})

it('finds the changing lines of a system prompt, and not what a user has typed', () => {
  const lines = { role: 'user', content: '[From the system prompt, as of now:]\nIt is 12:03.' }
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
  }
  const done = { role: 'tool', tool_call_id: 'a', content: 'done' }
  const [hello, reply] = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
  ]
  expect([...addedMessages([lines, hello])]).toEqual([0])
  expect([...addedMessages([hello, reply, lines, hello])]).toEqual([2])
  expect([...addedMessages([hello, call, done, lines, call, done])]).toEqual([3])
  expect([...addedMessages([hello, reply, lines, reply, hello])]).toEqual([])
  expect([...addedMessages([hello, reply, lines])]).toEqual([])
})
