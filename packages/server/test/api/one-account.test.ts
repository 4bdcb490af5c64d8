import type { ReceiptStretch } from '@throughline/core/explain'
import { type Fate, fates } from '@throughline/core/fates'
import type { MessageLike } from '@throughline/core/messages'
import { apiClient } from '@throughline/test-tools/api-client'
import { isLong } from '@throughline/test-tools/is-long'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'

/** A long chat whose replies end with notes: they stand in the midst of what is cut, digested and recalled. */
function chatWithNotes(): readonly MessageLike[] {
  const things = ['barometer', 'ladder', 'compass', 'whistle', 'kettle', 'lantern', 'ledger']
  const messages: MessageLike[] = []
  for (let n = 0; n < 90; n++) {
    const thing = things[n % 7]!
    messages.push({
      role: 'user',
      content: `Please remember: the ${thing} number ${n} hangs in house ${n}.`,
    })
    messages.push({
      role: 'assistant',
      content: `I noted the ${thing} number ${n}, in house ${n}, as you said.`,
    })
    messages.push({ role: 'assistant_note', content: `house ${n} has a ${thing}` })
  }
  return messages
}

const countsIn = (stretches: readonly ReceiptStretch[]) => {
  const counts = Object.fromEntries(fates.map(fate => [fate, 0])) as Record<Fate, number>
  for (const { first, last, fate } of stretches)
    for (let seq = first; seq <= last; seq++) if (seq >= 1) counts[fate] += 1
  return counts
}

describe.each(['inline', 'system'] as const)('of a chat with notes, sent %s', place => {
  it('all say the same of every entry: receipt, call, context, timeline, comparison and list', async () => {
    const { url, history } = await startServer({ window: 2048, reserve: 256, notes: { place } })
    const messages = chatWithNotes()
    await history.import(JSON.stringify({ title: 'Houses', messages, time: 0 }), { as: 'a' })
    const api = apiClient(url)
    await api.say('a', 'Where does the whistle number 24 hang?', { system: 'Be brief.' })
    const at = messages.length + 1
    const [call] = (await api.get('/conversations/a/calls?stretches=true')).body.calls
    const { body: one } = await api.get(`/conversations/a/calls/${call.id}`)
    const { body: context } = await api.get(`/conversations/a/context?at=${at}`)
    const { body: compared } = await api.post('/conversations/a/compare', { at, a: {}, b: {} })
    const { body: grid } = await api.get(
      `/conversations/a/grid?at=${at}&windows=2048&policies=balanced&stretches=true`,
    )
    const { body: lines } = await api.get(`/conversations/a/timeline?since=${at}`)
    const { body: anew } = await api.get(`/conversations/a/timeline?since=${at}&window=2048`)
    const { body: listed } = await api.get('/conversations/a')
    const point = JSON.parse(lines.split('\n')[0])
    const counts = countsIn(context.stretches)
    expect(counts.recalled).toBeGreaterThan(0)
    expect(counts.moved).toBeGreaterThan(0)
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(at)
    const told = {
      call: countsIn(one.stretches),
      calls: countsIn(call.stretches),
      context: context.counts,
      compared: compared.a.counts,
      grid: JSON.parse(grid.split('\n')[0]).counts,
      gridStretches: countsIn(JSON.parse(grid.split('\n')[0]).stretches),
      timeline: point.counts,
      timelineAnew: JSON.parse(anew.split('\n')[0]).counts,
      list: listed.latest.call.counts,
    }
    for (const [route, said] of Object.entries(told)) expect([route, said]).toEqual([route, counts])
    // The same of what was sent, message by message.
    expect(one.sent).toEqual(context.sent)
    const system = String(one.messages[0].content).split('\n\nRECENT NOTES TO SELF:')[0]
    const { receipt } = await history.thread('a').context({
      ...{ at, system, window: 2048, reserve: 256, notes: place },
    })
    expect(countsIn(receipt.stretches)).toEqual(counts)
    expect(receipt.sent.map(({ seqs }) => seqs)).toEqual(
      one.sent.map((row: { seqs: number[] }) => row.seqs),
    )
    for (const { seq, fate } of receipt.entries.filter(
      entry => entry.seq % (isLong ? 10 : 45) === 1,
    )) {
      const { body } = await api.get(`/conversations/a/entries/${seq}/why?call=${call.id}`)
      expect([seq, body.fate, body.stored.fate]).toEqual([seq, fate, fate])
    }
  })
})
