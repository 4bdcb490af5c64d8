import { describe, expect, it } from 'vitest'
import { words } from '../../../../../src/testing.ts'
import { assistant, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { balanced, recall, thorough, thrifty } from '../policies/recall.ts'
import { stable } from '../policies/stable.ts'
import { tiered } from '../policies/tiered.ts'
import type { Digester } from './exchange.ts'

const chat = Array.from({ length: 30 }, (_, n) => [
  user(`question ${n} about the harbour and its many boats`),
  assistant(`answer ${n}. It is said in a sentence that goes on for some words`),
])
  .flat()
  .slice(0, -1)
const policies = { balanced, thrifty, thorough, stable, recall, tiered }
const run = (name: string, digesters: readonly Digester[]) => {
  const make = policies[name as keyof typeof policies]
  const options = name === 'tiered' ? { digesters } : { digesters, digests: 1 / 4 }
  return fit(chat, { window: 400, count: words(), policy: make(options) })
}
const textOf = (messages: readonly object[]) => JSON.stringify(messages)

describe.each(Object.keys(policies))('%s with digesters of the user', name => {
  it('asks them', () => {
    const digestCount: Digester = ({ request }) => `the ${/\d+/.exec(request)?.[0]}th`
    expect(textOf(run(name, [digestCount]).messages)).toMatch(/→ the \d+th\]/)
  })

  it('goes on after one that throws, and the receipt says which and where', () => {
    const digestBroken: Digester = () => {
      throw new TypeError('no such poll')
    }
    const { messages, receipt } = run(name, [digestBroken])
    expect(textOf(messages)).toMatch(/→ answer \d+\./)
    const [fault] = receipt.faults
    expect(fault?.problem).toBe('digester "digestBroken" threw: TypeError: no such poll')
    expect(receipt.entries[fault!.seq]).toMatchObject({ role: 'user', fate: 'digested' })
  })

  it('takes one that gives nothing for one that is not concerned; a promise is reported', () => {
    const { messages, receipt } = run(name, [() => undefined, () => '', () => null as never])
    expect(textOf(messages)).toMatch(/→ answer \d+\./)
    expect(receipt.faults).toEqual([])
    const late = run(name, [(async () => 'late') as never])
    expect(late.receipt.faults[0]?.problem).toBe('digesters[0] gave a value that is no text')
  })

  it('refuses what is no list of functions', () => {
    expect(() => run(name, 'mine' as never)).toThrow('Option "digesters"')
    expect(() => run(name, [undefined as never])).toThrow('Option "digesters"')
  })
})

it('two policies with other digesters do not share their lines', () => {
  const lines = [() => 'one', () => 'two'].map(digester =>
    textOf(run('balanced', [digester]).messages),
  )
  expect(lines[0]).toContain('→ one]')
  expect(lines[1]).toContain('→ two]')
})
