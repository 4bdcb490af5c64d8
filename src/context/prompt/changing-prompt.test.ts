import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertContext } from '../../testing/assert-context.ts'
import { assistant, round, system, type TestMessage, user } from '../../testing/builders.ts'
import { o200k } from '../../tokens/o200k.ts'
import type { Context, FitOptions } from '../context.ts'
import { createFitter } from '../create-fitter.ts'
import { dump } from '../dump.ts'
import { explain } from '../explain.ts'
import { fit } from '../fit.ts'
import { homePrompt, linesInView } from './home-prompt.fixture.ts'
import type { PromptLayout } from './layout.ts'
import { joinGiven } from './split-prompt.ts'

const count = o200k()
const stable: FitOptions = { window: 4096, reserve: 512, count, systemPrompt: 'stable' }

/** Asks once with each prompt, in one conversation. */
function converse(prompts: readonly string[], options: FitOptions = stable): readonly Context[] {
  const chat: TestMessage[] = []
  let previous: Context | undefined
  return prompts.map((prompt, turn) => {
    chat.push(user(`${asked[turn % asked.length]} (${turn})`))
    const messages = [system(prompt), ...chat]
    const given = { ...options, ...(previous && { previous, promptLayout: previous.promptLayout! }) }
    const context = fit(messages, given)
    assertContext(messages, given, context)
    previous = context
    chat.push(assistant('I have looked at it, and seen to it.'))
    return context
  })
}

const asked = ['Is the kitchen light on?', 'Turn on the hall switch.', 'How warm is it?', 'And the garage?']

const readOf = ({ tokens, receipt }: Context) => tokens - (receipt.prefix?.tokens ?? 0)
const headOf = ({ messages }: Context) => messages[0]!.content
const lateOf = ({ messages, receipt }: Context) =>
  messages.filter((_, place) => receipt.sent[place]!.part === 'changing').map(({ content }) => content)
const sorted = (lines: readonly string[]) => lines.filter(line => line.trim() !== '').sort()

describe('a prompt with dates that are samples', () => {
  const sample = 'Write it in one line, for example: the meeting is on 2024-05-01 at 10:00.'
  const blocks =
    'Example:\nDate: 2024-05-01\n\n<example>\nUser: when?\n\nTime: 10:00\n</example>\n```\n2024-05-01 10:00\n```'
  const prompt = (more: string) => `You keep a calendar.\nBe brief.\n${more}\n\nAnswer in plain text.`

  it('stands still, but for the line that tells the time of now', () => {
    const [first] = converse([prompt(`${sample}\n${blocks}`)])
    expect(lateOf(first!)).toEqual([])
    const [dated] = converse([prompt(`${sample}\n${blocks}\n\nToday's date: 2026-11-16`)])
    expect(dated!.receipt.changing!.lines).toEqual(["Today's date: 2026-11-16"])
  })

  it.each([
    ['a tag', '<example>User: hi. You: hello.</example>'],
    ['a tag that is closed behind words', '<example>\nUser: when?\nYou: at 10:00.</example>'],
    ['a tag in another', '<examples>\n<example>\nTime: 10:00\n</example>\n</examples>'],
    ['a fence', '```2024-05-01```'],
    ['a fence in a tag', '<example>\n```\nTime: 10:00\n```\nDate: 2024-05-01\n</example>'],
  ])('tells the time of now behind %s that is closed', (_, closed) => {
    const [context] = converse([prompt(`${closed}\nToday's date: 2026-11-16`)])
    expect(context!.receipt.changing!.lines).toEqual(["Today's date: 2026-11-16"])
  })

  it('loses a line that has no such form when it is known to change', () => {
    const told = (day: string) => prompt(`The next meeting is on ${day} at 10:00 in the hall.`)
    const [first, second] = converse([told('2024-05-01'), told('2024-05-02')])
    expect(lateOf(first!)).toEqual([])
    expect(second!.receipt.changing!.lines).toEqual([
      'The next meeting is on 2024-05-02 at 10:00 in the hall.',
    ])
  })
})

describe("Home Assistant's prompt over 100 turns", () => {
  const prompts = Array.from({ length: 100 }, (_, turn) => homePrompt(turn))

  it('is in view as it was sent, line by line, and little of it is read again', () => {
    const contexts = converse(prompts)
    for (const [turn, context] of contexts.entries())
      expect(sorted(linesInView(context.messages))).toEqual(sorted(prompts[turn]!.split('\n')))
    const reads = contexts.slice(1).map(readOf)
    expect(reads.reduce((sum, read) => sum + read) / reads.length).toBeLessThan(250)
    // Each of the six devices changes the head once; then it stands still.
    expect(new Set(contexts.map(headOf)).size).toBeLessThanOrEqual(7)
    expect(new Set(contexts.slice(10).map(headOf)).size).toBe(1)
    const sent = converse(prompts, { ...stable, systemPrompt: 'as sent' })
      .slice(1)
      .map(readOf)
    expect(Math.min(...sent)).toBeGreaterThan(1000)
  })

  it('is known at once by what an earlier conversation has shown', () => {
    const { promptLayout } = converse(prompts.slice(0, 20)).at(-1)!
    const { heads = [] } = promptLayout!
    const contexts = converse(prompts.slice(20), { ...stable, promptLayout: { heads } })
    expect(new Set(contexts.map(headOf)).size).toBe(1)
    expect(Math.max(...contexts.slice(1, 40).map(readOf))).toBeLessThan(250)
  })

  it('says what moved, from where, and what it saved', () => {
    const context = converse(prompts.slice(0, 20)).at(-1)!
    const { changing, parts, sent, entries } = context.receipt
    expect(changing!.lines).toHaveLength(7)
    expect(changing!.lines[0]).toMatch(/^Current time is/)
    expect(changing!.tokens).toBe(parts.changing)
    expect(changing!.saved).toBeGreaterThan(1000)
    const at = sent.findIndex(({ part }) => part === 'changing')
    expect(sent[at + 1]!.seqs).toEqual([entries.at(-1)!.seq])
    expect(sent[at]).toMatchObject({ seqs: [], standsFor: [], why: 'changing lines of the system prompt' })
    expect(entries[0]).toMatchObject({ fate: 'altered', rule: 'system prompt' })
    expect(explain(context.receipt)).toContain(
      '7 lines of the system prompt stand just before the newest message',
    )
    expect(dump(context)).toContain('[names: Office cover 3]\n  state:')
    expect(headOf(context)).toContain(
      'domain: cover\n  [This changes: see below, if anything.]\n  areas: Office',
    )
  })
})

it('takes out times in the first turn, by their form', () => {
  const [context] = converse(['You are kind.\nCurrent time is 12:03.\nBe brief.'])
  expect(headOf(context!)).toBe('You are kind.\n[This changes: see below, if anything.]\nBe brief.')
  expect(lateOf(context!)).toEqual(['[From the system prompt, as of now:]\nCurrent time is 12:03.'])
})

it('leaves a list of times alone, and a prompt that is nothing but a time', () => {
  const events = Array.from({ length: 9 }, (_, day) => `2026-11-0${day + 1} 12:00`).join('\n')
  const [one] = converse([`You keep a calendar.\n${events}`])
  expect(lateOf(one!)).toEqual([])
  const [other] = converse(['Current time is 12:03.'])
  expect(headOf(other!)).toBe('Current time is 12:03.')
})

it('takes another persona for another prompt', () => {
  const one = 'You are a pirate.\nSay arr.\nLike ships.\nDrink rum.'
  const other = 'You are a judge.\nBe fair.\nListen to all.\nSpeak slowly.'
  const [before, after, last] = converse([one, other, one])
  expect([before, after, last].map(context => headOf(context!))).toEqual([one, other, one])
  expect(lateOf(after!)).toEqual([])
})

it('lets new lines stand below, and drops those that are gone from the head', () => {
  const lines = ['Devices:', ...Array.from({ length: 12 }, (_, at) => `- device ${at} is here`)]
  const text = (some: readonly string[]) => some.join('\n')
  const more = [...lines.slice(0, 5), '- device 99 is here', ...lines.slice(5)]
  const less = lines.filter(line => line !== '- device 3 is here')
  const contexts = converse([text(lines), text(more), text(less), text(lines), text(less)])
  expect(headOf(contexts[1]!)).toBe(text(lines))
  expect(lateOf(contexts[1]!)).toEqual([
    '[From the system prompt, as of now:]\n[Devices:]\n- device 99 is here',
  ])
  expect(headOf(contexts[2]!)).toBe(text(less))
  expect(lateOf(contexts[2]!)).toEqual([])
  // It comes and goes: the head has changed once for it, and does not change again.
  expect(headOf(contexts[3]!)).toBe(text(less))
  expect(lateOf(contexts[3]!)).toEqual([
    '[From the system prompt, as of now:]\n[Devices:]\n- device 3 is here',
  ])
  expect(headOf(contexts[4]!)).toBe(text(less))
})

it('takes many new lines into a new head, and keeps what it knows', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `Rule ${at} is to be kept in mind.`)
  const prompt = (turn: number, some: readonly string[]) => [`Mood: ${turn}`, ...some].join('\n')
  const more = [...lines, ...Array.from({ length: 20 }, (_, at) => `Rule ${at + 20} is to be kept in mind.`)]
  const contexts = converse([prompt(0, lines), prompt(1, lines), prompt(2, more), prompt(3, more)])
  expect(headOf(contexts[3]!)).toBe(['[This changes: see below, if anything.]', ...more].join('\n'))
  expect(headOf(contexts[2]!)).toBe(headOf(contexts[3]!))
})

it('leaves a prompt that stands still as it is, byte for byte and object for object', () => {
  const messages = [system(homePrompt(3).slice(60)), user('hello'), assistant('hi'), user('and?')]
  const sent = fit(messages, { ...stable, systemPrompt: 'as sent' })
  const kept = fit(messages, { ...stable, promptLayout: fit(messages, stable).promptLayout! })
  expect(kept.messages.map((message, at) => message === sent.messages[at])).not.toContain(false)
  expect(kept.receipt.changing).toBeUndefined()
})

describe('a turn with rounds of tools', () => {
  const start = [user('Hello'), assistant('Hi'), user('Read all logs')]
  const text = (time: string) => `You are kind.\nCurrent time is ${time}.\nBe brief.`
  const rounds = [...round('read', 'log one'), ...round('read', 'log two')]
  const fitAt = (messages: readonly TestMessage[], time: string, promptLayout: PromptLayout = {}) => {
    const given = [system(text(time)), ...messages]
    const context = fit(given, { ...stable, promptLayout })
    assertContext(given, stable, context)
    return context
  }
  const placeOf = ({ receipt }: Context) => receipt.sent.findIndex(({ part }) => part === 'changing')

  it('keeps the changing lines where they stood as long as they are the same', () => {
    const first = fitAt(start, '12:03')
    const second = fitAt([...start, ...rounds.slice(0, 2)], '12:03', first.promptLayout)
    const third = fitAt([...start, ...rounds], '12:03', second.promptLayout)
    expect([first, second, third].map(placeOf)).toEqual([3, 3, 3])
    expect(third.messages.slice(0, second.messages.length)).toEqual(second.messages)
  })

  it('puts them before the last round when they have changed', () => {
    const first = fitAt(start, '12:03')
    const second = fitAt([...start, ...rounds], '12:04', first.promptLayout)
    expect(placeOf(second)).toBe(second.messages.length - 3)
    const third = fitAt([...start, ...rounds, ...round('read', 'log three')], '12:04', second.promptLayout)
    expect(placeOf(third)).toBe(placeOf(second))
    const next = [...start, ...rounds, assistant('Done.'), user('And now?')]
    expect(placeOf(fitAt(next, '12:04', third.promptLayout))).toBe(next.length)
  })

  it('joins them to the user message where roles must take turns', () => {
    const given = [system(text('12:03')), ...start, ...rounds]
    for (const systemRole of [true, false]) {
      const options = { ...stable, shape: 'alternating', systemRole } as const
      const context = fit(given, options)
      assertContext(given, options, context)
      const joined = context.messages.filter(({ content }) => String(content).includes('12:03'))
      expect(joined.map(({ role }) => role)).toEqual(['user'])
      expect(String(joined[0]!.content)).toContain('Read all logs')
    }
  })
})

it('never moves what a client marked for caching', () => {
  const cache_control = { type: 'ephemeral' }
  const time = 'Current time is 12:03.'
  const text = `You are kind.\n${time}`
  const marked = { role: 'system', content: [{ type: 'text', text, cache_control }] }
  const open = { role: 'system', content: [{ type: 'text', text }] }
  const passed = { ...system(text), providerOptions: { anthropic: { cacheControl: cache_control } } }
  const sent = (message: object) => fit([message as TestMessage, user('hello')], stable).messages
  expect(sent(marked)[0]).toBe(marked)
  expect(sent(passed)[0]).toBe(passed)
  expect(JSON.stringify(sent(open)[0])).not.toContain(time)
  expect(JSON.stringify(sent(open)[1])).toContain(time)
})

it('keeps tools in the order of the first time, as long as they are the same', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(name => ({ type: 'function', function: { name } }))
  const fitter = createFitter(stable)
  fitter.append(user('hello'))
  expect(fitter.context({ tools: [b, a] }).tools).toEqual([b, a])
  expect(fitter.context({ tools: [a, b] }).tools).toEqual([b, a])
  expect(fitter.context({ tools: [a, b, c] }).tools).toEqual([a, b, c])
  expect(fitter.context({ tools: [c, b, a] }).tools).toEqual([a, b, c])
})

it('cuts by the head that is sent, and not with every change of the lines', () => {
  const prompt = (turn: number) => `${homePrompt(turn)}\nMood: ${'very '.repeat(turn % 7)}good`
  const contexts = converse(Array.from({ length: 160 }, (_, turn) => prompt(turn)))
  const cuts = contexts.map(({ receipt }) => receipt.cut?.before ?? 0)
  expect(cuts.at(-1)).toBeGreaterThan(0)
  // It never moves back, and only a few times forward.
  expect(cuts).toEqual([...cuts].sort((a, b) => a - b))
  expect(new Set(cuts).size).toBeLessThan(5)
})

/** A prompt, and edits of it: lines change, appear, vanish and change places. */
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('change', 'add', 'remove', 'move'),
    at: fc.nat(40),
    text: fc.constantFrom<string>(
      'x: 1',
      '  x: 2',
      '- item',
      '    deep',
      'Time is 12:03 now',
      '',
      'end.',
      '}',
      'K:',
    ),
  }),
  { maxLength: 4 },
)

describe('any prompt with any edits', () => {
  const line = fc.constantFrom<string>(
    'You are.',
    'Devices:',
    '- a',
    '- b',
    '  on: 1',
    '  on: 2',
    '',
    '{',
    '  "k": 1',
    '}',
  )
  const prompts = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.array(edits, { maxLength: 8 }))
    .map(([first, changes]) => {
      const all = [first]
      for (const some of changes) {
        const lines = [...all.at(-1)!]
        for (const { kind, at, text } of some) {
          const place = at % (lines.length + 1)
          if (kind === 'add') lines.splice(place, 0, text)
          else if (kind === 'change') lines.splice(place, 1, text)
          else if (kind === 'remove') lines.splice(place, 1)
          else lines.splice(place, 0, ...lines.splice((at * 7) % (lines.length + 1), 1))
        }
        all.push(lines)
      }
      return all.map(lines => lines.join('\n'))
    })

  it('has every line in view once, none that was not sent, and can be read back', () => {
    fc.assert(
      fc.property(prompts, texts => {
        for (const [turn, context] of converse(texts).entries()) {
          const text = texts[turn]!
          // Empty texts are not sent at all.
          expect(sorted(linesInView(context.messages))).toEqual(sorted(text.split('\n')))
          if (context.given) expect(joinGiven(context.given, String(headOf(context)))).toBe(text)
        }
      }),
    )
  })

  it('settles: a head changes at most as often as it has lines', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 60 }), picks => {
        const still = Array.from({ length: 20 }, (_, at) => `Line ${at} stands still.`)
        const texts = picks.map(pick => [
          ...still,
          ...Array.from({ length: pick }, (_, n) => `Now ${n}: ${pick}`),
        ])
        const heads = converse(texts.map(lines => lines.join('\n'))).map(headOf)
        expect(heads.filter((head, at) => at > 0 && head !== heads[at - 1]).length).toBeLessThanOrEqual(6)
      }),
    )
  })

  it('would notice a line that is missing or old', () => {
    const [context] = converse(['You are.\nTime is 12:03 now'])
    const broken = context!.messages.map(message => ({
      ...message,
      content: String(message.content).replace('12:03', '12:02'),
    }))
    expect(sorted(linesInView(broken))).not.toEqual(sorted('You are.\nTime is 12:03 now'.split('\n')))
  })
})
