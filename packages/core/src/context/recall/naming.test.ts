import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { assistant, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { sharesOf } from './naming.ts'
import { createRecallIndex } from './recall-index.ts'

const list = new URL('../../../../../bench/lib/ordinary-talk.mjs', import.meta.url).href
const { ordinaryTalk } = (await import(list)) as { ordinaryTalk: readonly string[] }

const path = new URL('../../../../../examples/project-chat.json', import.meta.url)
const projectChat = (JSON.parse(readFileSync(path, 'utf8')) as MessageLike[]).slice(0, -1)

describe('ordinary talk', () => {
  /** The tokens that are recalled for a message, beside those for the messages before it. */
  const recalledFor = (text: string) => {
    const { parts } = fit([...projectChat, user(text)], { window: 4096 }).receipt
    return parts.recall
  }

  it('brings nothing back: half of its words name nothing that was said', () => {
    const before = recalledFor('Xqzvw.')
    expect(ordinaryTalk.filter(text => recalledFor(text) > before)).toEqual([])
  })

  it.each([
    'What does the SIM cost?',
    'Why was the gateway given up?',
    'How old is Tobi?',
    'When are the phone numbers erased?',
  ])('is not what names something old, though the words are few: %s', text => {
    expect(recalledFor(text)).toBeGreaterThan(recalledFor('Xqzvw.'))
  })
})

describe('what is in view', () => {
  const talk = Array.from({ length: 200 }, (_, n) => [
    user(`The berth of boat ${n} was painted, and its lock was oiled.`),
    assistant(`Boat ${n}: painted and oiled.`),
  ]).flat()
  const fact = user('The lock of my berth has the code zebra.')
  const asked = user('What is the code of my berth lock?')
  const recalled = (chat: readonly MessageLike[]) =>
    fit(chat, { window: 2048 }).receipt.counts.recalled

  it('is not asked for: a fact in the first message, or one just said, brings nothing else back', () => {
    expect(recalled([fact, assistant('Noted.'), ...talk, asked])).toBe(0)
    expect(
      recalled([
        user('Good morning!'),
        assistant('Hello.'),
        ...talk,
        fact,
        assistant('Noted.'),
        asked,
      ]),
    ).toBe(0)
  })

  it('brings the fact back where it is out of view', () => {
    const chat = [
      user('Good morning!'),
      assistant('Hello.'),
      fact,
      assistant('Noted.'),
      ...talk,
      asked,
    ]
    expect(JSON.stringify(fit(chat, { window: 2048 }).messages)).toContain('zebra')
  })
})

it('says the same of a message whatever was said behind it', () => {
  const documents = [
    'Is the kitchen light on? (4)',
    'How warm is it? (6)',
    'Is the kitchen light on? (8)',
  ]
  const question = 'Is the kitchen light on? (68)'
  const index = createRecallIndex()
  const append = (text: string) =>
    index.append({ text, isUser: true, tokens: 9, beginsSession: false })
  documents.forEach(append)
  const shares = () => {
    const shareOf = sharesOf(index, question, documents.length)
    return documents.map((_, entry) => shareOf(entry, 0))
  }
  const before = shares()
  expect(before[0]).toBeGreaterThan(0)
  for (const text of [question, 'How warm is it? (70)', 'light 68 kitchen']) append(text)
  expect(shares()).toEqual(before)
})
