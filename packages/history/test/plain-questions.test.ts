import { readFileSync } from 'node:fs'
import type { MessageLike } from '@throughline/core/messages'
import { answer, reader } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createHistory } from '../src/create-history.ts'

const file = new URL('../../../examples/project-chat.json', import.meta.url)
const history = createHistory({ store: memoryStore(), window: 4096, reserve: 512 })
const thread = history.thread('toads')

/** Questions about the sample, and words of the right answer. */
const ofSample = [
  ['What is the grid reference for the fence?', 'SO 417 283'],
  ['What is the service called?', 'paddock'],
  ['By when does Priya need the file?', '30 April'],
  ['How old is Tobi?', '14'],
  ['Who is Priya?', 'county recorder'],
  ['Where has Wilf moved the shed sensor?', 'north wall'],
  ['Who is Maureen?', 'has run the patrol since 1994'],
  ['How much does the SIM cost a month?', '£5'],
  ['What wins when two people text a count for the same bucket?', 'latest text wins'],
  ['What is the box in the cupboard called?', 'urn'],
] as const

const user = (content: string): MessageLike => ({ role: 'user', content })
const assistant = (content: string): MessageLike => ({ role: 'assistant', content })

/** Invented talks, each with a question and words of the right answer. */
const invented: readonly (readonly [
  talk: readonly MessageLike[],
  question: string,
  words: string,
])[] = [
  [
    [
      user('I have a boat called Heron, is that a good name?'),
      assistant('It is a fine name for a boat.'),
    ],
    'What is my boat called?',
    'Heron',
  ],
  [
    [
      user('Can you find me a mooring for my boat Heron in Falmouth?'),
      assistant('There are two moorings free.'),
    ],
    'Where do I want a mooring?',
    'Falmouth',
  ],
  [
    [
      user('My locker is number 4471.'),
      assistant('Good.'),
      user('Remind me about my locker tomorrow.'),
      assistant('I will.'),
    ],
    'What is the number of my locker?',
    '4471',
  ],
  [
    [
      user('My sister Livia lives in Graz. She has two dogs, Bruno and Fips.'),
      assistant('Lovely names.'),
    ],
    "What are the names of my sister's dogs?",
    'Bruno',
  ],
  [
    [
      user('We meet on Thursday at 18:45 at the lych gate.'),
      assistant('Noted.'),
      user('Write a note about the meeting.'),
      assistant('Done.'),
    ],
    'When do we meet?',
    '18:45',
  ],
  [
    [user('I am allergic to walnuts, so no walnut cake please.'), assistant('No walnuts then.')],
    'What am I allergic to?',
    'walnuts',
  ],
  [
    [
      user('The code of the gate is 2210.'),
      assistant('Good.'),
      user('They changed it: the code of the gate is 9034 now.'),
      assistant('Good.'),
    ],
    'What is the code of the gate?',
    '9034',
  ],
  [
    [
      user('Who paints the hull?'),
      assistant('Marta paints the hull on Saturday.'),
      user('Thanks.'),
      assistant('You are welcome.'),
    ],
    'Who paints the hull?',
    'Marta',
  ],
  [
    [user('I paid 340 euros for the sail, which was too much.'), assistant('That is a lot.')],
    'How much did I pay for the sail?',
    '340',
  ],
  [
    [user('My favourite colour is green, and my car is red.'), assistant('Good to know.')],
    'What is my favourite colour?',
    'green',
  ],
]

it('answers at least 18 of 20 plain questions about what is in its prompt, and those of a first visit', async () => {
  const messages = JSON.parse(readFileSync(file, 'utf8')) as readonly MessageLike[]
  await history.import(JSON.stringify({ title: 'Toads', messages }), { as: 'toads' })
  const wrong: string[] = []
  for (const [question, words] of ofSample) {
    const next = { ...user(question), time: Date.now() }
    const { messages } = await thread.context({ next })
    expect(JSON.stringify(messages), question).toContain(words)
    if (!answer(messages).text.includes(words)) wrong.push(question)
  }
  for (const [talk, question, words] of invented)
    if (!answer([...talk, user(question)]).text.includes(words)) wrong.push(question)
  expect(ofSample.length + invented.length).toBe(20)
  expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(2)
  expect(wrong).not.toContain(ofSample[0][0])
  expect(wrong).not.toContain(invented[0]![1])
})

it('never answers with the day over what was recalled', () => {
  const block =
    '[Earlier in this conversation:]\n18 Nov 2026\n#4 user: The pond froze.\n19 Nov 2026\n#9 user: It thawed.'
  const text = answer([user(block), user('What happened on 18 Nov 2026?')]).text
  expect(text).toBe('I found no sentence that answers that in what I was given.')
  expect(answer([user(block), user('What froze?')]).text).toBe('You said: "The pond froze."')
})

it('says in every answer that it is a stand-in where people did not choose it, and quotes no such words', async () => {
  const model = reader({ isStandIn: true })
  const ask = async (...messages: readonly MessageLike[]) => {
    let text = ''
    for await (const part of model.stream({ messages }))
      if (part.type === 'text-delta') text += part.text
    return text
  }
  const noted = await ask(user('My boat is called Heron.'))
  expect(noted).toBe('Stand-in, no AI: Noted: "My boat is called Heron".')
  const talk = [user('My boat is called Heron.'), assistant(noted)]
  expect(await ask(...talk, user('What is my boat called?'))).toBe(
    'Stand-in, no AI: You said: "My boat is called Heron"',
  )
  expect(await ask(...talk, user('Where is my car?'))).toMatch(
    /^Stand-in, no AI: I found no sentence/,
  )
})
