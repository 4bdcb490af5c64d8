import {
  assistant,
  note,
  randomConversation,
  result,
  system,
  user,
} from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { answer } from './answer.ts'

const said = (...messages: Parameters<typeof answer>[0]) => answer(messages).text
const cannotSee = 'I found no sentence that answers that in what I was given.'

describe('a question', () => {
  it('is answered with the sentence that fits best', () => {
    const chat = [
      user('My locker code is 4471. I park on level 3.'),
      assistant('The regatta is on the second of May.'),
    ]
    expect(said(...chat, user('What is my locker code?'))).toBe(
      'You said: "My locker code is 4471."',
    )
    expect(said(...chat, user('Where did I park?'))).toBe('You said: "I park on level 3."')
    expect(said(...chat, user('tell me when the regatta is'))).toBe(
      'I said: "The regatta is on the second of May."',
    )
  })

  it.each([
    ['The staging database listens on port 5544.', 'Which port is the staging database on?'],
    ["My boat's name is Heron.", 'What is my boat called?'],
    ['My name is Ada.', "What's my name?"],
    ['My favourite color is teal.', 'Do you remember my favorite colour?'],
    ['Dr. Smith treats my knee.', 'Who treats my knee?'],
    ['私の猫の名前はミケです。', '猫の名前は何ですか？'],
  ])('is understood in other words: %s', (statement, question) => {
    expect(said(user(statement), assistant('Fine.'), user(question))).toBe(
      `You said: "${statement}"`,
    )
  })

  it.each([
    ['I say the number seventeen.', 'What number did I just say?'],
    ['sixty-four', 'What number did I just say?'],
    ['This year I put Black Krim tomatoes by the south wall.', 'Which tomato did I plant?'],
    ['The tomatoes are Black Krim.', 'Which tomato did I plant?'],
    ['Tomato: Black Krim', 'Which tomato did I plant?'],
  ])('is answered from what was sent: %s', (statement, question) => {
    const chat = [user(statement), assistant(`Noted: "${statement}".`)]
    expect(said(...chat, user(question))).toMatch(
      new RegExp(`^You said: "${statement.replace(/\.$/, '')}`),
    )
    expect(said(user('Hello.'), assistant('Good day.'), user(question))).toBe(cannotSee)
  })

  it('is not answered when too little is shared', () => {
    const chat = [user('I lost my locker key.'), user('The boat is called Heron.')]
    expect(said(...chat, user('What is my locker code?'))).toBe(cannotSee)
    expect(said(...chat, user('What colour is the hull of the boat?'))).toBe(cannotSee)
    expect(said(...chat, user('What is it?'))).toBe(cannotSee)
  })

  it('never answers itself, nor is it answered by an earlier question or a confession', () => {
    const asked = user('What is my locker code?')
    expect(said(asked)).toBe(cannotSee)
    expect(said(asked, assistant(cannotSee), asked)).toBe(cannotSee)
    expect(said(asked, assistant(cannotSee), user('Tell me my locker code.'))).toBe(cannotSee)
    const words = [
      'I cannot see anything about that locker code',
      'I found no sentence that answers that',
    ]
    for (const one of words)
      expect(said(assistant(`What is my locker code? → ${one}`), asked)).toBe(cannotSee)
    expect(said(user('I cannot see anything in the fog.'), user('What is in the fog?'))).toContain(
      'fog',
    )
  })

  it('may be answered by what stands before it in the same message', () => {
    expect(said(user('My boat is called Heron. What is my boat called?'))).toBe(
      'You said: "My boat is called Heron."',
    )
  })

  it('may be one of several: the last that can be answered is', () => {
    const chat = [user('My boat is called Heron.'), user('I park on level 3.')]
    expect(said(...chat, user('Where did I park? What is my boat called?'))).toContain('Heron')
    expect(said(...chat, user('Where did I park? And what is my locker code?'))).toContain(
      'level 3',
    )
  })

  it('takes the newest of equals, and the fuller match of two', () => {
    const chat = [
      user('My locker code is 4471.'),
      user('My locker code is now 5582.'),
      user('My locker is red.'),
    ]
    expect(said(...chat, user('What is my locker code?'))).toBe(
      'You said: "My locker code is now 5582."',
    )
  })

  it('prefers what has a number when a number is asked for', () => {
    const chat = [user('My locker code is 4471.'), user('I wrote the locker code on a card.')]
    expect(said(...chat, user('What is my locker code?'))).toContain('4471')
  })

  it('names who said it', () => {
    expect(
      said(result('weather', 'Wind in Kiel: 7 knots.'), user('How much wind is in Kiel?')),
    ).toBe('A tool said: "Wind in Kiel: 7 knots."')
    expect(said(system('The harbour closes at ten.'), user('When does the harbour close?'))).toBe(
      'My instructions say: "The harbour closes at ten."',
    )
    expect(said(note('The footer is in footer.html.'), user('Where is the footer?'))).toBe(
      'My notes say: "The footer is in footer.html."',
    )
  })

  it('unwraps its own quotations instead of quoting them', () => {
    const question = user('What is my locker code?')
    expect(said(assistant('Noted: "My locker code is 4471".'), question)).toBe(
      'You said: "My locker code is 4471"',
    )
    expect(said(assistant('You said: "My locker code is 4471."'), question)).toBe(
      'You said: "My locker code is 4471."',
    )
  })

  it('about what was just said looks at the message before', () => {
    const chat = [user('The number is 42.'), assistant('Noted: "The number is 42".')]
    expect(said(...chat, user('what number did I just say?'))).toMatch(
      /^You said: "The number is 42/,
    )
    expect(
      said(user('Take 17, please.'), assistant('Fine.'), user('what number did I just say?')),
    ).toBe('You said: "Take 17, please."')
    expect(said(user('Hello.'), assistant('Good day.'), user('What did you just say?'))).toBe(
      'I said: "Good day."',
    )
    expect(said(user('Hello.'), assistant('Good day.'), user('what number did I just say?'))).toBe(
      cannotSee,
    )
  })
})

describe('what stands for something older', () => {
  const question = user('What is my locker code?')

  it('is read: recalled entries, digests, journals and notes', () => {
    expect(
      said(user('[Earlier in this conversation:]\n#3 user: My locker code is 4471.'), question),
    ).toBe('You said: "My locker code is 4471."')
    expect(said(user('[Previous: "My locker code is 4471." → Noted.]'), question)).toBe(
      'You said: "My locker code is 4471."',
    )
    expect(
      said(user('[Summary of previous turn actions:] 1. [open] locker code=4471 → open'), question),
    ).toBe('A tool said: "[open] locker code=4471 → open"')
    expect(said(system('RECENT NOTES TO SELF:\nLocker code: 4471'), question)).toBe(
      'My notes say: "Locker code: 4471"',
    )
    expect(said(assistant('Done.\n\n[NOTE TO SELF: locker code 4471]'), question)).toBe(
      'My notes say: "locker code 4471"',
    )
  })

  it('is read in messages from other conversations, each by who said it', () => {
    const days = ['14 May 2025, “My locker”', '2 Jun 2025']
    const quotes = user(
      `[From other conversations:]\n${days[0]}\nuser: Hello.\nassistant: Your locker code is 4471.\n${days[1]}\nuser: My bike code is 15.`,
    )
    expect(said(quotes, question)).toBe('I said: "Your locker code is 4471."')
    expect(said(quotes, user('What is my bike code?'))).toBe('You said: "My bike code is 15."')
    expect(said(user(`${quotes.content}\n\nWhat is my locker code?`))).toContain('4471')
  })

  it('is older than what still stands where it was said', () => {
    const recalled = user('[Earlier in this conversation:]\n#3 user: My locker code is 4471.')
    expect(said(user('My locker code is 5582.'), recalled, question)).toContain('4471')
    expect(said(user('Hello.'), user('My locker code is 5582.'), recalled, question)).toContain(
      '5582',
    )
  })

  it('is not taken for the question when a template joins both', () => {
    const joined =
      '[Several conversation turns removed to conserve context.]\n\n[Earlier in this conversation:]\n#3 user: My locker code is 4471.\n\nWhat is my locker code?'
    expect(said(user(joined))).toBe('You said: "My locker code is 4471."')
  })
})

describe('anything else', () => {
  it('is acknowledged, shortly', () => {
    expect(said(user('I park on level 3. It was full.'))).toBe('Noted: "I park on level 3".')
    expect(said(user('x'.repeat(200)))).toBe(`Noted: "${'x'.repeat(79)}…".`)
  })

  it('is answered honestly when it asks who answers', () => {
    for (const question of ['Who are you?', 'what are you', 'Are you an AI?']) {
      expect(said(user(question))).toMatch(/^I am the reader, .* no language model/)
    }
  })

  it('is nothing when nothing was asked', () => {
    expect(said()).toBe('I was given nothing to answer.')
    expect(said(system('Be kind.'))).toBe('I was given nothing to answer.')
  })

  it('gives the same answer every time', () => {
    const chat = [user('I park on level 3.'), assistant('Noted.'), user('Where did I park?')]
    expect(answer(chat)).toEqual(answer(structuredClone(chat)))
  })

  it('takes a moment, and not minutes, for texts that are nothing but marks', () => {
    const nasty = [
      '!',
      '. ',
      '"',
      '[',
      '{"program":',
      'call add ',
      '[NOTE TO SELF:',
      '[Previous: "',
      '#1 user: ',
    ]
    const tools = [{ name: 'add', parameters: {} }]
    for (const mark of nasty) {
      const text = user(mark.repeat(20_000))
      expect(answer([text, user('What is my locker code?')], tools).text).toBe(cannotSee)
      expect(answer([text], tools, { format: 'json' })).toBeDefined()
    }
  })

  it('says nothing that it was not given', () => {
    let quotations = 0
    for (let seed = 0; seed < 200; seed++) {
      const messages = [
        ...randomConversation(seed, 6),
        user('Where is the green lamp of the river?'),
      ]
      const [, quotation] = /^[\w ]+: "(.*)"$/.exec(said(...messages)) ?? []
      if (quotation === undefined) expect(said(...messages)).toBe(cannotSee)
      else expect(messages.some(({ content }) => String(content).includes(quotation))).toBe(true)
      quotations += quotation === undefined ? 0 : 1
    }
    expect(quotations).toBeGreaterThan(50)
    expect(quotations).toBeLessThan(200)
  })

  it('reads messages of every dialect', () => {
    const parts = [{ type: 'text', text: 'My locker code is 4471.' }]
    expect(said({ role: 'user', content: parts }, user('What is my locker code?'))).toContain(
      '4471',
    )
  })
})
