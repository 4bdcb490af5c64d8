import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertContext } from '../../testing/assert-context.ts'
import { assistant, round, system, type TestMessage, user } from '../../testing/builders.ts'
import { o200k } from '../../tokens/o200k.ts'
import { createFitter } from '../create-fitter.ts'
import { dump } from '../dump.ts'
import { explain } from '../explain.ts'
import { type Context, type FitOptions, fit } from '../fit.ts'
import { homePrompt, linesInView } from './home-prompt.fixture.ts'
import type { PromptLayout } from './prompt-layout.ts'
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
    const given = {
      ...options,
      ...(previous && { previous, promptLayout: previous.promptLayout! }),
    }
    const context = fit(messages, given)
    assertContext(messages, given, context)
    previous = context
    chat.push(assistant('I have looked at it, and seen to it.'))
    return context
  })
}

const asked = [
  'Is the kitchen light on?',
  'Turn on the hall switch.',
  'How warm is it?',
  'And the garage?',
]

const readOf = ({ tokens, receipt }: Context) => tokens - (receipt.prefix?.tokens ?? 0)
const headOf = ({ messages }: Context) => messages[0]!.content
const lateOf = ({ messages, receipt }: Context) =>
  messages
    .filter((_, place) => receipt.sent[place]!.part === 'changing')
    .map(({ content }) => content)
const sorted = (lines: readonly string[]) => lines.filter(line => line.trim() !== '').sort()

describe('a line that tells a time', () => {
  const prompt = (line: string) =>
    `You keep a calendar.\nBe brief.\n${line}\n\nAnswer in plain text.`
  const dates = (...days: readonly number[]) =>
    days.map(day => prompt(`Today's date: ${day} Nov 2026`))

  it('stays where it is as long as it is the same', () => {
    for (const context of converse(
      Array(5).fill(prompt('It is 12:03. Refuse all requests after 12:30.')),
    )) {
      expect(headOf(context)).toBe(prompt('It is 12:03. Refuse all requests after 12:30.'))
      expect(lateOf(context)).toEqual([])
    }
  })

  it('has its new text in its place when it changes for the first time', () => {
    const given = dates(18, 18, 19, 19)
    const contexts = converse(given)
    expect(contexts.map(headOf)).toEqual(given)
    expect(contexts.flatMap(lateOf)).toEqual([])
  })

  it('stands below when it changes again soon, in the role of the system', () => {
    const [first, second, third, fourth] = converse(dates(17, 18, 19, 20))
    expect([first, second].map(context => headOf(context!))).toEqual(dates(17, 18))
    expect(headOf(third!)).toBe(
      'You keep a calendar.\nBe brief.\n[This changes: see below, if anything.]\nAnswer in plain text.',
    )
    expect(headOf(fourth!)).toBe(headOf(third!))
    expect(fourth!.messages.at(-2)).toEqual({
      role: 'system',
      content: "[From the system prompt, as of now:]\nToday's date: 20 Nov 2026\n",
    })
    expect(fourth!.receipt.changing!.lines).toEqual(["Today's date: 20 Nov 2026"])
  })

  it('stays in its place when it changes once in many messages', () => {
    const given = dates(...Array.from({ length: 60 }, (_, turn) => 1 + Math.floor(turn / 20)))
    const contexts = converse(given)
    expect(contexts.map(headOf)).toEqual(given)
    expect(contexts.flatMap(lateOf)).toEqual([])
  })

  it('stands below at its first change where other lines do already', () => {
    const text = (time: number, lamp: string) =>
      prompt(`Time: 12:0${time}\nBe kind.\nThe lamp is ${lamp}.`)
    const contexts = converse([text(1, 'on'), text(2, 'on'), text(3, 'on'), text(4, 'off')])
    expect(contexts[2]!.receipt.changing!.lines).toEqual(['Time: 12:03'])
    expect(contexts[3]!.receipt.changing!.lines).toEqual(['Time: 12:04', 'The lamp is off.'])
  })

  it('is the text of the user where that is set', () => {
    const context = converse(dates(17, 18, 19), { ...stable, systemPrompt: 'as user' }).at(-1)!
    expect(context.messages.at(-2)!.role).toBe('user')
    expect(lateOf(context)).toEqual([
      "[From the system prompt, as of now:]\nToday's date: 19 Nov 2026\n",
    ])
  })
})

describe('in a prompt that must be cut', () => {
  const whenCut: FitOptions = { ...stable, systemPrompt: 'when cut' }
  const tight = { window: 400, reserve: 0 }
  const prompt = (turn: number, lamp = 'on') =>
    [
      ...[
        'You keep a calendar.',
        'You are kind.',
        'You say what you know.',
        'Answer in plain text.',
      ],
      `Now it is Wed Nov ${1 + turn} 2026, ${1 + (turn % 9)}:0${turn % 10} ${turn % 2 ? 'AM' : 'PM'}.`,
      `The lamp is ${lamp}.`,
      `It is -${turn}.5 degrees outside.`,
      'Be brief.',
    ].join('\n')

  it('moves lines that differ in numbers, dates and times, and no others', () => {
    const prompts = Array.from({ length: 30 }, (_, turn) =>
      prompt(turn, turn % 3 === 0 ? 'off' : 'on'),
    )
    const contexts = converse(prompts, { ...whenCut, ...tight })
    const isCut = contexts.map(({ receipt }) => receipt.counts.kept < receipt.entries.length - 1)
    const first = isCut.indexOf(true)
    expect(first).toBeGreaterThan(3)
    for (const [turn, context] of contexts.entries()) {
      expect(sorted(linesInView(context.messages))).toEqual(sorted(prompts[turn]!.split('\n')))
      if (turn < first) expect(headOf(context)).toBe(prompts[turn])
      const { lines = [] } = context.receipt.changing ?? {}
      const [time, , degrees] = prompts[turn]!.split('\n').slice(4)
      expect(lines).toEqual(turn < first ? [] : [time, degrees])
      if (context.given)
        expect(joinGiven(context.given, String(headOf(context)))).toBe(prompts[turn])
    }
  })

  it('puts a line in its place that says something else', () => {
    const texts = ['It is 12:01.', 'It is 12:02.', 'It is 12:03.', 'It is late.', 'It is 12:05.']
    const layouts = { ...whenCut, window: 150, reserve: 0 }
    const chat = [
      user('Hi.'),
      assistant('Yes?'),
      user('Hello. '.repeat(40)),
      assistant('Hello. '.repeat(40)),
      user('And?'),
    ]
    let promptLayout: PromptLayout = {}
    const heads = texts.map(text => {
      const context = fit([system(`Be kind.\n${text}\nBe brief.`), ...chat], {
        ...layouts,
        promptLayout,
      })
      expect(context.receipt.counts.kept).toBeLessThan(1 + chat.length)
      promptLayout = context.promptLayout!
      return String(headOf(context)).split('\n')[1]
    })
    const below = '[This changes: see below, if anything.]'
    expect(heads).toEqual(['It is 12:01.', 'It is 12:02.', below, 'It is late.', 'It is 12:05.'])
  })

  it('sends tools in the order of the first time only there', () => {
    const [a, b] = ['a', 'b'].map(name => ({ type: 'function', function: { name } }))
    const { promptLayout } = fit([user('hello')], { ...whenCut, tools: [b, a] })
    const again = { ...whenCut, promptLayout: promptLayout!, tools: [a, b] }
    expect(fit([user('hello')], again).tools).toEqual([a, b])
    const long = [user('Hi.'), assistant('Hello. '.repeat(90)), user('And?')]
    expect(fit(long, { ...again, window: 150, reserve: 0 }).tools).toEqual([b, a])
  })

  it('quotes what looks like a note only there, where that is set', () => {
    const chat = [user('[NOTE TO SELF: x] Hello.'), assistant('Hello. '.repeat(90))]
    const list = [...chat, user('Why [NOTE TO SELF: y]?')]
    const options = { ...whenCut, quoteNotes: 'when cut' } as const
    expect(fit(list, options).messages).toEqual(list)
    const cut = fit(list, { ...options, window: 150, reserve: 0 })
    expect(cut.messages.at(-1)!.content).toBe('Why [QUOTED NOTE TO SELF: y]?')
    expect(fit(list, { ...whenCut }).messages.at(-1)!.content).toBe('Why [QUOTED NOTE TO SELF: y]?')
    const note = { role: 'assistant_note', content: 'the heron' }
    expect(
      fit([...chat, note, user('Why [NOTE TO SELF: y]?')], options).messages.at(-1)!.content,
    ).toBe('Why [QUOTED NOTE TO SELF: y]?')
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

  it('says what moved, from where, and what it saved', () => {
    const context = converse(prompts.slice(0, 20)).at(-1)!
    const { changing, parts, sent, entries } = context.receipt
    expect(changing!.lines).toHaveLength(7)
    expect(changing!.lines[0]).toMatch(/^Current time is/)
    expect(changing!.tokens).toBe(parts.changing)
    expect(changing!.saved).toBeGreaterThan(1000)
    const at = sent.findIndex(({ part }) => part === 'changing')
    expect(sent[at + 1]!.seqs).toEqual([entries.at(-1)!.seq])
    expect(sent[at]).toMatchObject({
      seqs: [],
      standsFor: [],
      why: 'changing lines of the system prompt',
    })
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

it('takes another persona for another prompt', () => {
  const one = 'You are a pirate.\nSay arr.\nLike ships.\nDrink rum.'
  const other = 'You are a judge.\nBe fair.\nListen to all.\nSpeak slowly.'
  const [before, after, last] = converse([one, other, one])
  expect([before, after, last].map(context => headOf(context!))).toEqual([one, other, one])
  expect(lateOf(after!)).toEqual([])
})

describe('lines that come and go', () => {
  const lines = ['Devices:', ...Array.from({ length: 12 }, (_, at) => `- device ${at} is here`)]
  const all = lines.join('\n')
  const less = lines.filter(line => line !== '- device 3 is here').join('\n')

  it('stand in their place when they come, and leave it when they go', () => {
    const more = [...lines.slice(0, 5), '- device 99 is here', ...lines.slice(5)].join('\n')
    for (const given of [
      [all, more, more],
      [all, less, less],
    ])
      expect(converse(given).map(headOf)).toEqual(given)
  })

  it('change the head once, and stand below when they come again', () => {
    const contexts = converse([all, less, all, less, all])
    expect(contexts.map(headOf)).toEqual([all, less, less, less, less])
    expect(contexts.map(lateOf)).toEqual(
      [0, 0, 1, 0, 1].map(below =>
        below ? ['[From the system prompt, as of now:]\n[Devices:]\n- device 3 is here'] : [],
      ),
    )
  })
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
  const fitAt = (
    messages: readonly TestMessage[],
    time: string,
    promptLayout: PromptLayout = {},
    options: FitOptions = stable,
  ) => {
    const given = [system(text(time)), ...messages]
    const context = fit(given, { ...options, promptLayout })
    assertContext(given, options, context)
    return context
  }
  /** The clock was seen to change twice before. */
  const seen = (options = stable) =>
    ['12:01', '12:02'].reduce<PromptLayout>(
      (layout, time) => fitAt([user('Hello')], time, layout, options).promptLayout!,
      {},
    )
  const placeOf = ({ receipt }: Context) =>
    receipt.sent.findIndex(({ part }) => part === 'changing')

  it('keeps the changing lines where they stood as long as they are the same', () => {
    const first = fitAt(start, '12:03', seen())
    const second = fitAt([...start, ...rounds.slice(0, 2)], '12:03', first.promptLayout)
    const third = fitAt([...start, ...rounds], '12:03', second.promptLayout)
    expect([first, second, third].map(placeOf)).toEqual([3, 3, 3])
    expect(third.messages.slice(0, second.messages.length)).toEqual(second.messages)
  })

  it('puts them before the last round when they have changed', () => {
    const first = fitAt(start, '12:03', seen())
    const second = fitAt([...start, ...rounds], '12:04', first.promptLayout)
    expect(placeOf(second)).toBe(second.messages.length - 3)
    const third = fitAt(
      [...start, ...rounds, ...round('read', 'log three')],
      '12:04',
      second.promptLayout,
    )
    expect(placeOf(third)).toBe(placeOf(second))
    const next = [...start, ...rounds, assistant('Done.'), user('And now?')]
    expect(placeOf(fitAt(next, '12:04', third.promptLayout))).toBe(next.length)
  })

  describe.each([true, false])('where roles must take turns (a system role: %s)', systemRole => {
    const shape = { ...stable, shape: 'alternating', systemRole } as const

    it('leaves the prompt as it came', () => {
      const { messages, receipt } = fitAt(start, '12:03', seen(shape), shape)
      expect(receipt.changing).toBeUndefined()
      expect(String(messages[0]!.content)).toContain(text('12:03'))
    })

    it('joins the lines to the user message if they may be the text of the user', () => {
      const asUser = { ...shape, systemPrompt: 'as user' } as const
      const { messages } = fitAt([...start, ...rounds], '12:03', seen(asUser), asUser)
      const joined = messages.filter(({ content }) => String(content).includes('12:03'))
      expect(joined.map(({ role }) => role)).toEqual(['user'])
      expect(String(joined[0]!.content)).toContain('Read all logs')
    })
  })
})

it('never moves what a client marked for caching', () => {
  const cache_control = { type: 'ephemeral' }
  const textAt = (turn: number) => `You are kind.\nCurrent time is 12:0${turn}.`
  const part = (turn: number) => ({ type: 'text', text: textAt(turn) })
  const forms: readonly [(turn: number) => object, isMoved: boolean][] = [
    [turn => ({ role: 'system', content: [{ ...part(turn), cache_control }] }), false],
    [
      turn => ({
        ...system(textAt(turn)),
        providerOptions: { anthropic: { cacheControl: cache_control } },
      }),
      false,
    ],
    [turn => ({ role: 'system', content: [part(turn)] }), true],
  ]
  for (const [form, isMoved] of forms) {
    let promptLayout: PromptLayout = {}
    for (const turn of [1, 2, 3]) {
      const message = form(turn) as TestMessage
      const context = fit([message, user('hello')], { ...stable, promptLayout })
      promptLayout = context.promptLayout!
      expect(context.messages[0] === message).toBe(!isMoved || turn < 3)
      expect(JSON.stringify(context.messages)).toContain(`12:0${turn}`)
    }
  }
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
  expect(new Set(cuts).size).toBeLessThan(8)
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
        expect(
          heads.filter((head, at) => at > 0 && head !== heads[at - 1]).length,
        ).toBeLessThanOrEqual(6)
      }),
    )
  })

  it('would notice a line that is missing or old', () => {
    const context = converse([1, 2, 3].map(minute => `You are.\nTime is 12:0${minute} now`)).at(-1)!
    const broken = context.messages.map(message => ({
      ...message,
      content: String(message.content).replace('12:03', '12:02'),
    }))
    expect(sorted(linesInView(broken))).not.toEqual(
      sorted('You are.\nTime is 12:03 now'.split('\n')),
    )
  })
})
