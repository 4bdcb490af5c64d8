import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { randomConversation } from '../../testing/random-conversation.ts'
import { type Policy, pipe } from '../draft/draft.ts'
import { fit } from '../fit.ts'
import { balanced, thorough } from '../policies/recall.ts'
import { sliding } from '../policies/sliding.ts'
import { spongebob } from '../policies/spongebob.ts'
import { tiered } from '../policies/tiered.ts'
import { termsOf } from '../recall/terms.ts'
import { why } from './why-conversation.ts'
import { termPlaces } from './why-recall.ts'

const chat = JSON.parse(
  readFileSync(new URL('../../../../../examples/project-chat.json', import.meta.url), 'utf8'),
) as readonly MessageLike[]
const room = { window: 4096, reserve: 512 }

const marked = ({ text, hits }: { text: string; hits: readonly (readonly [number, number])[] }) =>
  hits.map(([from, to]) => text.slice(from, to))

describe('why', () => {
  it('tells of a recalled message who asked for it, with which words, and where these stand', () => {
    const { recall, place, text, unit } = why(chat, 20, room)
    expect(recall).toMatchObject({ outcome: 'recalled', asking: { seq: 522 }, found: { seq: 20 } })
    expect(marked(recall!.asking!)).toEqual(
      expect.arrayContaining(['six', 'figure', 'grid', 'reference', 'fence', 'Priya']),
    )
    expect(marked(recall!.found!)).toContain('Priya')
    expect(recall!.score).toBeGreaterThanOrEqual(recall!.least!)
    expect(recall!.needs).toBeLessThanOrEqual(recall!.left!)
    expect(fit(chat, room).messages[place!]!.content).toBe(text)
    expect(unit).toEqual({ first: 20, last: 20, tokens: 76 })
  })

  it('tells of a message that was asked for that it had no room, not that nothing was asked', () => {
    const log = Array.from({ length: 300 }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `Entry ${n} of the harbour log.`,
    }))
    const facts = [
      { role: 'user', content: 'Hello.' },
      {
        role: 'assistant',
        content: `Berth 12 is yours.${' Ask for the key.'.repeat(6)}`,
      },
    ]
    const chat = [...facts, ...log, { role: 'user', content: 'Which berth is mine?' }]
    expect(why(chat, 1, { window: 1024 }).recall!.outcome).toBe('recalled')
    expect(why(chat, 1, { window: 1024, full: true }).recall!.outcome).toBe('no_room')
    // A small window keeps little for recall: most of it is for the running talk.
    expect(fit(chat, { window: 256 }).receipt.cut!.recall).toBeLessThanOrEqual(256 / 8)
  })

  it('tells of a message that was left out what took its room, or that others fit better', () => {
    const { recall: full } = why(chat, 212, room)
    expect(full).toMatchObject({ outcome: 'no_room', asking: { seq: 522 } })
    expect(full!.needs).toBeGreaterThan(full!.left!)
    expect(full!.better!.units).toBeGreaterThan(0)
    const { recall: weak } = why(chat, 100, room)
    expect(weak!.outcome).toBe('weak_match')
    expect(weak!.score).toBeLessThan(weak!.least!)
    const quiet = [
      ...chat,
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks!' },
    ]
    expect(why(quiet, 100, room).recall).toMatchObject({
      outcome: 'not_asked',
      asking: { seq: 524 },
    })
    expect(why(chat, 100, { ...room, policy: sliding({ messages: 50 }) })).toMatchObject({
      ...{ fate: 'omitted', why: 'older than the last 50 messages', unit: { tokens: 65 } },
    })
  })

  it('tells of a message that is sent when it will leave, and the fits that follow agree', () => {
    expect(why(chat, 1, room)).toMatchObject({ isProtected: true, rule: 'first' })
    expect(why(chat, 1, room).leaving).toBeUndefined()
    for (const policy of [balanced(), sliding({ messages: 50 })]) {
      const { leaving } = why(chat, 515, { ...room, policy })
      const said = (tokens: number) => 'so '.repeat(tokens).trim()
      const mean = leaving!.tokens / leaving!.turns
      const grown: MessageLike[] = [...chat]
      const fates: string[] = []
      for (let turn = 0; turn < leaving!.turns; turn++) {
        grown.push(
          { role: 'user', content: said(mean / 3) },
          { role: 'assistant', content: said((mean * 2) / 3) },
        )
        fates.push(fit(grown, { ...room, policy }).receipt.entries[515]!.fate)
      }
      // The estimate of these words may differ a little from their number.
      expect(fates.filter(fate => fate === 'kept').length).toBeGreaterThanOrEqual(
        leaving!.turns - 2,
      )
    }
  })

  it('counts a long result as gone when it becomes one line, and foretells nothing of that line', () => {
    const answers = Array.from({ length: 14 }, (_, n) => [
      { role: 'user', content: `Question ${n}?` },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'run', arguments: { n } } }],
      },
      { role: 'tool', tool_name: 'run', content: 'The result says more and more. '.repeat(20) },
      { role: 'assistant', content: 'It has run.' },
    ])
    const asked = answers.flat()
    const seq = asked.length - 10
    const { leaving, fate } = why(asked, seq, room)
    expect(fate).toBe('kept')
    const turn = leaving!.tokens / leaving!.turns
    const fates: string[] = []
    const grown: MessageLike[] = [...asked]
    while (!fates.includes('omitted') && fates.length < 64) {
      grown.push({ role: 'user', content: 'so '.repeat(turn / 3).trim() })
      grown.push({ role: 'assistant', content: 'so '.repeat((turn * 2) / 3).trim() })
      const line = fit(grown, room).receipt.entries[seq]!
      fates.push(line.fate)
      if (line.fate === 'cleared') expect(why(grown, seq, room).leaving).toBeUndefined()
    }
    expect(fates.filter(one => one === 'cleared').length).toBeGreaterThan(1)
    expect(Math.abs(fates.indexOf('cleared') + 1 - leaving!.turns)).toBeLessThan(3)
  })

  const mine: Policy = { name: 'mine', apply: draft => draft.drop([draft.units[1]!], 'because') }

  it.each([balanced(), pipe(mine, balanced())])(
    'foretells when the request of a turn that was cut inside will leave: $name',
    policy => {
      const short = Array.from({ length: 19 }, (_, n) => [
        { role: 'user', content: `Question ${n}?` },
        { role: 'assistant', content: 'Yes.' },
      ])
      const rounds = Array.from({ length: 120 }, (_, n) => [
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'run', arguments: { n } } }],
        },
        { role: 'tool', tool_name: 'run', content: `It has run ${n} times.` },
      ])
      const asked = [
        ...short.flat(),
        { role: 'user', content: 'Port the zebra.' },
        ...rounds.flat(),
      ]
      const grown: MessageLike[] = [...asked, { role: 'assistant', content: 'Done.' }]
      const seq = short.length * 2
      const settings = { ...room, policy }
      const said = fit(grown, settings).receipt.entries
      expect(said[seq]!.fate).toBe('kept')
      expect(said[seq + 3]!.fate).not.toBe('kept')
      const { leaving } = why(grown, seq, settings)
      const turn = leaving!.tokens / leaving!.turns
      let turns = 0
      for (; fit(grown, settings).receipt.entries[seq]!.fate === 'kept'; turns++) {
        grown.push({ role: 'user', content: 'so '.repeat(turn / 3).trim() })
        grown.push({ role: 'assistant', content: 'so '.repeat((turn * 2) / 3).trim() })
      }
      expect(turns).toBeGreaterThan(2)
      expect(Math.abs(turns - leaving!.turns)).toBeLessThan(2)
    },
  )

  const cases = process.env.THROUGHLINE_LONG ? 200 : 10

  it(`says the fate of the receipt, whatever the policy: ${cases} conversations`, () => {
    const policies = [balanced(), thorough(), sliding({ messages: 6 }), tiered(), spongebob()]
    for (let seed = 1; seed <= cases; seed++) {
      const messages = randomConversation(seed, 60)
      const options = {
        ...{ window: 400 + 20 * (seed % 20), overflow: 'keep' as const },
        ...{
          policy: policies[seed % policies.length]!,
          notes: (['inline', 'system'] as const)[seed % 2]!,
        },
      }
      const { receipt, messages: sent } = fit(messages, options)
      for (const line of receipt.entries) {
        const told = why(messages, line.seq, options)
        expect(told).toMatchObject(line)
        expect(told.recall?.outcome === 'recalled').toBe(line.fate === 'recalled')
        if (told.place !== undefined) expect(told.place).toBeLessThan(sent.length)
        for (const { text, hits } of [told.recall?.asking, told.recall?.found].flatMap(
          one => one ?? [],
        ))
          for (const [from, to] of hits)
            expect(text.slice(from, to)).toMatch(/^[\p{L}\p{M}\p{N}]+$/u)
      }
    }
  })

  it('refuses what is no place of a message', () => {
    for (const seq of [-1, 523, 1.5, Number.NaN])
      expect(() => why(chat, seq, room)).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      )
    expect(() => why('chat' as never, 0, room)).toThrow(/expected a list/)
  })
})

describe('termPlaces', () => {
  it('marks words by their stems, and pairs where a script has no spaces', () => {
    const asked = (terms: readonly string[]) => (term: string) => terms.includes(term)
    const text = 'Deploys fail; deploying, DEPLOY.'
    expect(
      termPlaces(text, asked(termsOf('deploy'))).map(([from, to]) => text.slice(from, to)),
    ).toEqual([...['Deploys', 'deploying', 'DEPLOY']])
    const han = '格子番号は県の係'
    expect(
      termPlaces(han, asked(['番号', '号は'])).map(([from, to]) => han.slice(from, to)),
    ).toEqual(['番号は'])
    expect(termPlaces('a '.repeat(1000), () => true)).toEqual([])
  })
})
