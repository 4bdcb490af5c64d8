import { fit } from '@throughline/core/context'
import { words } from '@throughline/core/counters'
import { explain } from '@throughline/core/explain'
import type { MessageLike } from '@throughline/core/messages'
import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createHistory } from './create-history.ts'

const talk = (count: number): MessageLike[] =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content:
      n === 12
        ? 'The spare key hangs behind the barometer.'
        : `page ${n} of the log of the ship, in full`,
  }))

const question = { role: 'user', content: 'Where does the spare key hang, behind the barometer?' }

async function threadOf(...leading: readonly MessageLike[]) {
  const thread = createHistory({ store: memoryStore(), window: 512, count: words() }).thread('a')
  await thread.seed(...leading, ...talk(400), question)
  return thread
}

it.each([
  ['without a prompt', undefined, [], 1],
  ['with a prompt, which is 0', 'Be brief.', [], 0],
  [
    'with a system message in the log, which is 1',
    undefined,
    [{ role: 'system', content: 'Be kind.' }],
    1,
  ],
  ['with both', 'Be brief.', [{ role: 'system', content: 'Be kind.' }], 0],
] as const)(
  'a thread names a message by its place in the log, %s',
  async (_, system, leading, first) => {
    const thread = await threadOf(...leading)
    const entries = await thread.entries()
    const options = { ...(system !== undefined && { system }) }
    const { messages, receipt } = await thread.context(options)
    expect(receipt.entries[0]!.seq).toBe(first)
    expect(receipt.entries.at(-1)!.seq).toBe(entries.length)
    // What the model reads, the receipt and the log say the same number.
    const textAt = (seq: number) => entries[seq - 1]!.message.content
    const key = entries.find(({ message }) =>
      String(message.content).startsWith('The spare key'),
    )!.seq
    const place = receipt.sent.findIndex(({ part }) => part === 'recall')
    expect(receipt.sent[place]!.standsFor).toContain(key)
    expect(messages[place]!.content).toContain(`\n#${key} user: ${textAt(key)}`)
    for (const seq of receipt.sent[place]!.standsFor)
      expect(messages[place]!.content).toContain(
        `#${seq} ${entries[seq - 1]!.message.role}: ${textAt(seq)}`,
      )
    for (const [at, { seqs }] of receipt.sent.entries())
      if (seqs.length > 0 && seqs[0]! >= 1) expect(messages[at]!.content).toBe(textAt(seqs[0]!))
    expect(entries[receipt.cut!.before - 1]!.message.role).toBe('user')
    for (const seq of [1, 2, key, receipt.cut!.before, entries.length]) {
      const { fate, rule, why, tokens, cut } = await thread.why(seq, options)
      expect(explain(receipt, seq)).toContain(
        `Message ${seq} (${entries[seq - 1]!.message.role}, ${tokens} tokens)`,
      )
      expect(receipt.entries[seq - first]).toMatchObject({ seq, fate, rule, why, tokens })
      expect(cut).toEqual(receipt.cut)
    }
    expect(() => explain(receipt, first - 1)).toThrow(
      `expected the place of a message, ${first} to 40`,
    )
  },
)

it('a list is counted from 0', () => {
  const { messages, receipt } = fit([...talk(400), question], { window: 512, count: words() })
  const place = receipt.sent.findIndex(({ part }) => part === 'recall')
  expect(receipt.entries[0]!.seq).toBe(0)
  expect(messages[place]!.content).toContain('\n#12 user: The spare key hangs')
  expect(receipt.sent[place]!.standsFor).toContain(12)
})

it('a plan says of a call what its receipt said', async () => {
  const thread = await threadOf()
  const context = await thread.context({ system: 'Be brief.' })
  const call = await thread.saveCall(context, { model: 'm' })
  const plan = JSON.parse(call.plan)
  expect(await thread.replay(call)).toEqual(context.messages)
  expect(await thread.dump(call)).toBe(await thread.dump({ system: 'Be brief.' }))
  // Entries in a row stay a row: a plan does not grow with its context.
  expect(plan.messages.length).toBeLessThan(12)
})
