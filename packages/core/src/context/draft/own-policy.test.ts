import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import {
  balanced,
  type Fate,
  fit,
  type MessageLike,
  type Policy,
  type Receipt,
  stable,
  tiered,
} from '../../index.ts'
import { assistant, round, user } from '../../testing/builders.ts'
import { policyCases } from '../../testing/policy-cases.ts'
import { pipe } from './draft.ts'

const questionsStay: Policy = {
  name: 'questions stay',
  apply(draft) {
    const answers = draft.units.filter(unit => unit.kind !== 'user')
    return draft.dropToFit(answers, 'an older answer')
  },
}

const rulesStay: Policy = {
  name: 'rules stay',
  apply(draft) {
    const rules = draft.units.filter(unit => draft.textOf(unit).startsWith('RULE:'))
    return draft.protect(rules, 'a rule')
  },
}

const forgetTools: Policy = {
  name: 'forget tools',
  apply(draft) {
    const rounds = draft.units.filter(unit => unit.kind === 'tools')
    return draft.dropToFit(rounds, 'an older round of tools')
  },
}

const noSecrets: Policy = {
  name: 'no secrets',
  apply: draft =>
    draft.drop(
      draft.units.filter(unit => draft.textOf(unit).includes('SECRET')),
      'a secret',
    ),
}

const chat = Array.from({ length: 200 }, (_, n) => (n % 2 ? assistant : user)(`message ${n}`))
const withRules = chat.map((message, n) =>
  n % 20 === 4 ? user(`RULE: never before ${n} o'clock`) : message,
)
const withTools = Array.from({ length: 30 }, (_, n) => [
  user(`look at file ${n}`),
  ...round('read', `the text of file ${n}, which is quite long`),
  assistant(`File ${n} is fine.`),
]).flat()

const greedy: Policy = {
  name: 'greedy',
  apply: draft =>
    draft.protect(
      draft.units.filter(unit => unit.index > 1),
      'nearly all of it',
    ),
}

const lines = ({ entries }: Receipt, fate: Fate) => entries.filter(entry => entry.fate === fate)
const textOf = (messages: readonly MessageLike[]) => JSON.stringify(messages)

describe('dropToFit', () => {
  it.each([1400, 1500, 1600, 1800])(
    'leaves out only what it was given, in a window of %i',
    window => {
      const { receipt, messages } = fit(chat, { window, policy: questionsStay })
      const gone = lines(receipt, 'omitted')
      expect(gone.length).toBeGreaterThan(20)
      expect(
        gone.every(({ role, rule }) => role === 'assistant' && rule === 'questions stay'),
      ).toBe(true)
      expect(messages.filter(message => message.role === 'user')).toHaveLength(100)
      // One answer more would not have fitted.
      expect(receipt.free).toBeLessThan(Math.max(...gone.map(({ tokens }) => tokens)))
    },
  )

  it('leaves nothing out of what fits', () => {
    expect(fit(chat, { window: 20_000, policy: questionsStay }).receipt.counts.omitted).toBe(0)
  })

  it('counts notes that move to their section', () => {
    const noted = chat.flatMap((message, n) =>
      n % 2
        ? [message, { role: 'assistant_note', content: `remember that ${n} was said` }]
        : [message],
    )
    const { messages, receipt } = fit(noted, { window: 1800, policy: questionsStay })
    expect(messages.filter(message => message.role === 'user')).toHaveLength(100)
    expect(receipt.counts.moved).toBeGreaterThan(0)
  })

  it('goes on with what it was given where joined messages or a journal need more room', () => {
    for (const window of [4100, 4300, 4500]) {
      const long = Array.from({ length: 4 }, () => withTools).flat()
      const { receipt } = fit(structuredClone(long), {
        window,
        policy: forgetTools,
        shape: 'alternating',
      })
      const gone = lines(receipt, 'omitted').filter(({ rule }) => rule === 'forget tools')
      expect(new Set(gone.map(({ role }) => role))).toEqual(new Set(['assistant', 'tool']))
      const parts = receipt.sent.flatMap(({ part, joined = [] }) => [
        part,
        ...joined.map(one => one.part),
      ])
      expect(parts).toContain('journal')
      expect(lines(receipt, 'omitted').filter(({ rule }) => rule === 'window')).toEqual([])
    }
  })
})

describe('protect', () => {
  it.each(['error', 'trim'] as const)(
    'is named where it is too much, with overflow %s',
    overflow => {
      const policy = pipe(questionsStay, greedy)
      const fitted = () => fit(chat, { window: 500, policy, overflow })
      expect(fitted).toThrow(
        /^What must be sent needs \d+ tokens.* The policy "greedy" protects \d+ of them\. /,
      )
      expect(() => fit([user('x '.repeat(900))], { window: 100 })).toThrow(/^(?!.*The policy)/)
    },
  )

  it.each([
    ['alone', rulesStay],
    ['before balanced', pipe(rulesStay, balanced())],
    ['before tiered', pipe(rulesStay, tiered())],
    ['after questions', pipe(questionsStay, rulesStay)],
  ])('keeps every rule, %s', (_, policy) => {
    for (const window of [500, 800, 1300]) {
      const { receipt } = fit(withRules, { window, policy })
      for (let seq = 4; seq < 200; seq += 20) {
        const line = receipt.entries[seq]!
        expect(line.fate).toBe('kept')
        expect(line).toMatchObject({ rule: 'rules stay', why: 'a rule' })
      }
      expect(receipt.counts.omitted + receipt.counts.digested).toBeGreaterThan(50)
    }
  })

  it('is an error where the rules do not fit', () => {
    expect(() => fit(withRules, { window: 120, policy: rulesStay })).toThrow(
      /What must be sent needs/,
    )
  })

  it('does not bring back what was left out before', () => {
    const policy = pipe(noSecrets, {
      name: 'all',
      apply: draft => draft.protect(draft.units, 'all'),
    })
    const { messages } = fit([user('a'), assistant('the SECRET'), user('b')], {
      window: 500,
      policy,
    })
    expect(textOf(messages)).not.toContain('SECRET')
  })
})

describe('a policy of one’s own before a built-in one', () => {
  const secrets = Array.from({ length: 160 }, (_, n) => [
    user(
      n % 9 === 3
        ? `RULE: never sail in a storm of force ${n}`
        : `What about the harbour of island ${n}?`,
    ),
    assistant(
      n % 5 === 1
        ? `The SECRET of island ${n} is its harbour.`
        : `The harbour of island ${n} is deep.`,
    ),
  ]).flat()
  const asking = [...secrets, user('What was it about the harbour of island 21 and of island 22?')]

  it('decides what recall and digests may say of what was cut', () => {
    const { messages, receipt } = fit(asking, { window: 4096, policy: pipe(noSecrets, balanced()) })
    expect(receipt.cut).toBeDefined()
    expect(receipt.counts.recalled).toBeGreaterThan(0)
    expect(textOf(messages)).toContain('island 22')
    expect(textOf(messages)).not.toContain('SECRET')
    expect(receipt.entries[3]).toMatchObject({
      fate: 'omitted',
      rule: 'no secrets',
      why: 'a secret',
    })
  })

  it('makes room: what it left out is not counted when the conversation is cut', () => {
    const cutAt = (policy: Policy) => {
      for (let length = 1; ; length += 2)
        if (fit(secrets.slice(0, length), { window: 2000, policy }).receipt.cut) return length
    }
    expect(cutAt(pipe(noSecrets, stable()))).toBeGreaterThan(cutAt(stable()))
  })

  it.each([
    ['stable', stable()],
    ['balanced', balanced()],
  ])('leaves the cuts of %s seldom and far', (_, policy) => {
    const both = pipe(noSecrets, rulesStay, policy)
    const cuts = new Set<number>()
    let last = 0
    for (let length = 1; length <= secrets.length; length += 2) {
      const { receipt } = fit(secrets.slice(0, length), { window: 3000, policy: both })
      const before = receipt.cut?.before ?? 0
      expect(before).toBeGreaterThanOrEqual(last)
      expect(receipt.entries.filter(({ rule }) => rule === 'window')).toEqual([])
      last = before
      cuts.add(before)
    }
    expect(cuts.size).toBeGreaterThan(2)
    expect(cuts.size).toBeLessThan(12)
  })
})

const policies = [
  questionsStay,
  pipe(rulesStay, balanced()),
  rulesStay,
  forgetTools,
  noSecrets,
  pipe(forgetTools, stable()),
]
// The page about policies runs them for three of these.
if (!isLong) console.info('Skipped: the cases for policies of one’s own, only in the long run')

describe.runIf(isLong).each(policies)('$name', policy => {
  for (const { name, run } of policyCases) it(name, () => expect(run(policy)).toBeUndefined())
})
