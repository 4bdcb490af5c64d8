import { describe, expect, it } from 'vitest'
import { words } from '../../../../src/testing.ts'
import { assistant, note, user } from '../testing/builders.ts'
import { randomConversation } from '../testing/random-conversation.ts'
import { explain } from './explain.ts'
import { fit } from './fit.ts'
import { balanced } from './policies/recall.ts'
import { spongebob } from './policies/spongebob.ts'
import { tiered } from './policies/tiered.ts'

const chat = Array.from({ length: 60 }, (_, n) => [
  user(`question ${n} about the boats`),
  assistant(`answer ${n}, said in a few words`),
]).flat()
chat.push(user('Thank you, that is all for now.'))

describe('explain', () => {
  it('says of a message that was left out where the cut is, when and why it fell, and what is free for what', () => {
    const { receipt } = fit(chat, { window: 500, count: words() })
    const cut = receipt.cut!
    const seq = receipt.entries.findLast(entry => entry.fate === 'omitted')!.seq
    expect(seq).toBeLessThan(cut.before)
    expect(cut.before).toBeLessThan(cut.at)
    expect(cut.needed).toBeGreaterThan(cut.limit)
    expect(receipt.entries[cut.at]).toMatchObject({ role: 'user' })
    expect(receipt.free).toBe(receipt.capacity - receipt.tokens)
    expect(cut.growth + cut.recall).toBeLessThanOrEqual(receipt.free + receipt.parts.recall)
    const sentence = explain(receipt, seq)
    expect(sentence).toContain(`Message ${seq} (`)
    expect(sentence).toContain(
      `was left out: before the cut (balanced). The cut stands before message ${cut.before}.`,
    )
    expect(sentence).toContain(
      `It fell at message ${cut.at}, when the conversation needed ${cut.needed} tokens`,
    )
    // What stands behind "are free" adds up to it.
    const [, all = '', ...amounts] =
      /(\d+) are free: (\d+) for .*? (\d+) for .*?(?: (\d+) for anything)?\.$/.exec(sentence)!
    expect(Number(all)).toBe(receipt.free)
    expect(amounts.reduce((sum, amount) => sum + Number(amount ?? 0), 0)).toBe(receipt.free)
  })

  it('the cut falls at the message that it names: without it nothing was cut there yet', () => {
    const { receipt } = fit(chat, { window: 500, count: words() })
    const before = fit(chat.slice(0, receipt.cut!.at), { window: 500, count: words() }).receipt
    expect(before.cut?.before ?? 0).toBeLessThan(receipt.cut!.before)
    const then = fit(chat.slice(0, receipt.cut!.at + 1), { window: 500, count: words() }).receipt
    expect(then.cut).toMatchObject({ before: receipt.cut!.before, at: receipt.cut!.at })
  })

  it('the conversation may grow as far as it says, and then it is cut', () => {
    // Just after a cut, when it may grow far.
    const past = chat.slice(0, fit(chat, { window: 500, count: words() }).receipt.cut!.at + 1)
    const { receipt } = fit(past, { window: 500, count: words() })
    const text = (tokens: number) => Array.from({ length: tokens }, () => 'x').join(' ')
    const fits = (tokens: number) =>
      fit([...past, assistant(text(tokens)), user('and now?')], { window: 500, count: words() })
        .receipt.cut!.at
    expect(fits(receipt.cut!.growth - 40)).toBe(receipt.cut!.at)
    expect(fits(receipt.cut!.growth + 1)).toBe(past.length + 1)
  })

  it('speaks of no cut where there is none', () => {
    const short = fit(chat.slice(0, 5), { window: 500, count: words() }).receipt
    expect(short.cut).toBeUndefined()
    expect(explain(short, 0)).toMatch(
      /^Message 0 \(user, \d+ tokens\) is sent as it is: the first user message/,
    )
    const { receipt } = fit(chat, { window: 300, count: words(), policy: spongebob() })
    expect(explain(receipt, 7)).toMatch(
      /^Message 7 \(assistant, \d+ tokens\) was left out: older than what fits \(spongebob\)\. \d+ of 300 tokens are used, \d+ are free\.$/,
    )
  })

  it('has a sentence for every message of any conversation, and the table names each once', () => {
    for (let seed = 0; seed < (process.env.THROUGHLINE_LONG ? 300 : 15); seed++) {
      const messages = [
        ...randomConversation(seed, 60),
        note('a note'),
        user('what about the lamp?'),
      ]
      for (const policy of [balanced(), spongebob(), tiered()]) {
        const { receipt } = fit(messages, { window: 400, count: words(), policy, overflow: 'trim' })
        for (const { seq } of receipt.entries)
          expect(explain(receipt, seq)).toMatch(/^Message \d+ \(.+\) .+: .+\.$/)
        const named = explain(receipt)
          .split('\n\n')[0]!
          .split('\n')
          .slice(1)
          .reduce((sum, line) => {
            const [from, to = from] = line.split(' ')[0]!.split('–')
            return sum + Number(to) - Number(from) + 1
          }, 0)
        expect(named).toBe(messages.length)
      }
    }
  })

  it('refuses a place that the list does not have', () => {
    const { receipt } = fit([user('hi')], { window: 100 })
    expect(() => explain(receipt, 7)).toThrow(
      'Option "seq": expected the place of a message, 0 to 0, got 7',
    )
  })

  it('shows a table of 150,000 runs, one line each, without what a terminal would obey', () => {
    const { receipt } = fit([user('hi')], { window: 100 })
    const entries = Array.from({ length: 150_000 }, (_, seq) => ({
      ...receipt.entries[0]!,
      seq,
      why: `reason ${seq}\u001b[31m\n`,
    }))
    const table = explain({ ...receipt, counts: receipt.counts, stretches: [], entries })
    expect(table.split('\n').length).toBe(150_000 + 7)
    expect(table).not.toContain('\u001b')
  })
})
