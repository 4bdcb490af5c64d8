import { describe, expect, it } from 'vitest'
import { defaultPolicy, type Policy, pipe, sliding, spongebob, stable, thorough, tiered } from '../index.ts'
import { policyCases } from './policy-cases.ts'

describe.each<Policy>([
  defaultPolicy,
  thorough(),
  stable(),
  spongebob(),
  sliding({ messages: 6 }),
  tiered(),
  pipe(sliding({ messages: 20 }), tiered()),
])('$name', policy => {
  for (const { name, run } of policyCases) it(name, () => run(policy))
})

describe('the conformance suite', () => {
  /** Controls: each breaks one promise, and the suite must catch it. */
  it.each<[string, Policy, string]>([
    ['forgets between calls', forgetful(), 'gives the same bytes twice'],
    ['changes the messages', vandal(), 'changes nothing that it is given'],
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

function vandal(): Policy {
  return {
    name: 'vandal',
    apply(draft) {
      for (const unit of draft.units) {
        for (const { source } of draft.entriesOf(unit)) (source as { content?: string }).content = 'gone'
      }
      return draft
    },
  }
}
