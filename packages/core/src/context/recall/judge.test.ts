import { describe, expect, it } from 'vitest'
import { estimate } from '../../tokens/estimate.ts'
import { nothingCleared } from '../conversation/clearing.ts'
import { readConversation } from '../conversation/conversation.ts'
import { plainLedger } from '../stable/ledger.ts'
import { indexTranscript } from './index-transcript.ts'
import { judge, slope, toEffort } from './judge.ts'

const minute = 60_000

const past = [
  'Good morning.',
  'Good morning!',
  'The berth of the Heron is number nine at the north jetty.',
  'Noted: number nine.',
  'Lunch was soup again, with bread.',
  'Enjoy your meal.',
]

const cutAt = (cut: number) => ({
  cutState: { cut, cleared: nothingCleared, request: -1 },
  files: new Set<number>(),
  exchange: past.length,
})

/** How strongly a message asks for what was said before it, which is all cut. `later` is said after it. */
function ask(text: string, options = {}) {
  return judge(asking(text, options))
}

function asking(
  text: string,
  { rest = minute, later = [] as readonly string[], whole = false } = {},
) {
  const said = [...past, text, ...later]
  const messages = said.map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
    time: at * minute + (at >= past.length ? rest : 0),
  }))
  const { transcript } = readConversation(messages, estimate())
  const index = indexTranscript(transcript, whole ? transcript.units.length : past.length)
  const user = past.length
  const ledger = plainLedger(transcript)
  return { transcript, ledger, index, effort: toEffort(0.5), text, user, ...cutAt(past.length) }
}

const report = Array.from(
  { length: 40 },
  (_, n) => `measure${n} shows value${n} of gauge${n}.`,
).join(' ')

describe('judge', () => {
  it('tells apart what is ours, plain questions, questions in passing, and what asks for nothing', () => {
    const asked = [
      'which berth is my number at the jetty',
      'which berth is the number at the jetty',
      'the berth number at the jetty, which is it?',
      'the berth number at the jetty',
    ].map(text => ask(text).strength)
    expect(asked).toEqual([...asked].sort((a, b) => b - a))
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('takes a name that was said before for ours, and only such a one', () => {
    const [known, unknown, small] = ['Heron', 'Porto', 'heron'].map(
      name => ask(`Where at the berth of the north jetty does ${name} lie?`).most,
    )
    expect(known).toBeGreaterThan(unknown!)
    expect(small).toBe(unknown)
  })

  it('says the same whatever is said later', () => {
    const text = 'Where does Porto lie?'
    const later = ['Where it always was.', 'Porto lies at berth nine, Porto is a boat.']
    expect(ask(text, { later, whole: true })).toEqual(ask(text))
  })

  it('lets what comes after a pause ask more strongly', () => {
    const text = 'the berth number at the jetty'
    expect(ask(text, { rest: 60 * minute }).strength).toBeGreaterThan(ask(text).strength)
  })

  it('judges a message anew when the cut moves in its turn, as if for the first time', () => {
    const text = `${report} And the berth number of the jetty?`
    const question = asking(text)
    for (const cut of [past.length, past.length, 4]) {
      const warm = judge({ ...question, ...cutAt(cut) })
      expect(warm).toEqual(judge({ ...asking(text), ...cutAt(cut) }))
      expect(warm.strength).toBeGreaterThan(1)
    }
  })

  it('lets the last question of a long message ask', () => {
    const [statement, question] = ['.', '?'].map(mark =>
      ask(`${report} And the berth number of the jetty${mark}`),
    )
    expect(statement!.strength).toBeLessThan(1)
    expect(question!.strength).toBeGreaterThan(1)
    // Only a little: most of such a message is about something else.
    expect(slope * (question!.strength - 1)).toBeCloseTo(1 / 6)
  })

  it('finds what the end of a message asks for, though most of the past is like the rest of it', () => {
    const form = `${Array.from({ length: 60 }, (_, n) => `field${n}`).join(' ')}.`
    const question = 'What was the password of my harbour lighthouse ferry?'
    const said = Array.from({ length: 3000 }, (_, n) => {
      if (n === 404) return 'The password of my harbour lighthouse ferry is zebra'
      return n % 20 === 0 && n !== 400 ? `${form} entry${n}` : `note${n} remark${n}`
    })
    const messages = [...said, `${form} ${question}`].map((content, at) => ({
      ...{ role: at % 2 === 0 ? 'user' : 'assistant', content },
      time: at * minute + Math.floor(at / 20) * 60 * minute,
    }))
    const { transcript } = readConversation(messages, estimate())
    const index = indexTranscript(transcript, 3000)
    const ledger = plainLedger(transcript)
    const text = messages[3000]!.content
    const { scores, strength } = judge({
      transcript,
      ledger,
      index,
      effort: toEffort(0.5),
      text,
      user: 3000,
      ...cutAt(2990),
      exchange: 2998,
    })
    expect(strength).toBeGreaterThan(1)
    const own = scores.values[scores.units.indexOf(404)]!
    expect(scores.values.filter(value => value > own).length).toBeLessThan(5)
  })
})
