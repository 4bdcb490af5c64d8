import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import { pipe } from '../context/draft/draft.ts'
import {
  defaultPolicy,
  type Policy,
  sliding,
  spongebob,
  stable,
  thorough,
  tiered,
} from '../index.ts'
import { policyCases } from './policy-cases.ts'

if (!isLong)
  console.info(
    'Skipped: most policies, and random conversations for all but the default and thorough, only in the long run',
  )

const others = [stable(), spongebob(), sliding({ messages: 6 })]
/** They cut early for what a message asks: random conversations find what no other case does. */
const recalling = [defaultPolicy, thorough()]

describe.each<Policy>([
  ...recalling,
  tiered(),
  pipe(sliding({ messages: 20 }), tiered()),
  ...(isLong ? others : []),
])('$name', policy => {
  const isRandom = isLong || recalling.includes(policy)
  for (const { name, run } of policyCases)
    it.skipIf(!isRandom && name.includes('random'))(name, () => expect(run(policy)).toBeUndefined())
})

describe('the conformance suite', () => {
  /** Controls: each breaks one promise, and the suite must catch it. */
  it.each<[string, Policy, string]>([
    ['forgets between calls', forgetful(), 'gives the same bytes twice'],
    ['changes the messages', vandal(), 'changes nothing that it is given'],
    ['repeats everything', parrot, 'keeps what a policy before it protects'],
    ['cuts here and there', restless, 'never moves its cut back'],
  ])('catches a policy that %s', (_, policy, name) => {
    const found = policyCases.find(one => one.name.startsWith(name))!
    expect(() => found.run(policy)).toThrow()
  })
})

function forgetful(): Policy {
  let calls = 0
  return {
    name: 'forgetful',
    apply(draft) {
      calls += 1
      return calls % 2 ? draft : draft.drop(draft.units, 'now and then')
    },
  }
}

const parrot: Policy = {
  name: 'parrot',
  apply(draft) {
    const text = draft.units
      .slice(0, 4)
      .map(unit => draft.textOf(unit))
      .join(' ')
    return draft.insert(
      [{ part: 'recall', before: 0, role: 'user', text, why: 'again', of: [] }],
      'recalled',
    )
  },
}

const restless: Policy = {
  name: 'restless',
  apply(draft) {
    const before = draft.units.length % 4
    return draft.withCut({
      before,
      at: before,
      needed: 0,
      limit: 0,
      growth: 0,
      turns: 0,
      recall: 0,
    })
  },
}

function vandal(): Policy {
  return {
    name: 'vandal',
    apply(draft) {
      for (const unit of draft.units) {
        for (const { source } of draft.entriesOf(unit))
          (source as { content?: string }).content = 'gone'
      }
      return draft
    },
  }
}
