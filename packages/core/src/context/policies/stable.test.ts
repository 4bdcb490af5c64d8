import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, calls, result, round, system, user } from '../../testing/builders.ts'
import { words } from '../../tokens/words.ts'
import { createFitter } from '../create-fitter.ts'
import { type Context, type FitOptions, fit } from '../fit.ts'
import { stable } from './stable.ts'

const options = (window: number, rest: Partial<FitOptions> = {}): FitOptions => ({
  window,
  policy: stable(),
  count: words(),
  ...rest,
})

/** A chat of n turns, ten words a message. */
const chat = (turns: number) =>
  Array.from({ length: turns }, (_, n) => [
    user(`question ${n} one two three four five six seven eight`),
    assistant(`answer ${n} one two three four five six seven eight`),
  ]).flat()

/** How many messages were left out. */
const cutOf = ({ receipt }: Context) =>
  receipt.entries.filter(entry => entry.fate === 'omitted').length

describe('stable', () => {
  it('cuts nothing while all fits', () => {
    const messages = chat(9)
    expect(fit(messages, options(200)).messages).toEqual(messages)
  })

  it('cuts seldom and far, and only appends in between', () => {
    const all = chat(200)
    let before: Context | undefined
    let cuts = 0
    for (let length = 1; length <= all.length; length += 2) {
      const context = fit(all.slice(0, length), options(400))
      expect(context.tokens).toBeLessThanOrEqual(400)
      if (before && cutOf(before) === cutOf(context)) {
        // The marker is a new object in each context, with equal content.
        expect(context.messages.slice(0, before.messages.length)).toEqual(before.messages)
      } else if (before) {
        cuts += 1
        // The low-water mark, and at most one turn more.
        expect(context.tokens).toBeLessThan(400 * 0.6)
      }
      before = context
    }
    expect(cuts).toBeGreaterThan(10)
    expect(cuts).toBeLessThan(25)
  })

  it('keeps the exchange before the newest message and the two before that, whatever their length, while they fit', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 110 }), { minLength: 8, maxLength: 40 })
    let cuts = 0
    fc.assert(
      fc.property(lengths, sizes => {
        const messages = sizes.map((size, n) => {
          const text = `m${n} ${'word '.repeat(size)}`.trimEnd()
          return n % 2 === 0 ? user(text) : assistant(text)
        })
        if (messages.at(-1)!.role === 'assistant') messages.push(user('and now'))
        const context = fit(messages, options(400))
        const { entries, cut } = context.receipt
        if (!cut) return
        cuts += 1
        const tokensFrom = (seq: number) =>
          entries.slice(seq).reduce((sum, { tokens }) => sum + tokens, 0)
        // Beside the first message, the marker, and the step to which the head is rounded up.
        const room = 400 - entries[0]!.tokens - 15 - 25
        for (const back of [1, 2, 3]) {
          const start = messages.length - 1 - 2 * back
          if (start < 1 || tokensFrom(start) > room) break
          expect(entries.slice(start).map(({ fate }) => fate)).toEqual(
            messages.slice(start).map(() => 'kept'),
          )
        }
      }),
      { seed: 3, numRuns: 300 },
    )
    expect(cuts).toBeGreaterThan(100)
  })

  it('cuts nothing that fits, to the last token', () => {
    const all = [system('Be brief.'), ...chat(40)]
    for (let length = 2; length <= all.length; length += 2) {
      const messages = all.slice(0, length)
      const { tokens } = fit(messages, options(100_000))
      expect(fit(messages, options(tokens)).messages).toEqual(messages)
      // One token less, and something goes.
      if (length > 4) expect(cutOf(fit(messages, options(tokens - 1)))).toBeGreaterThan(0)
    }
  })

  it('counts the line of a cleared result once, however often it is sent', () => {
    const plain = words()
    const lines: string[] = []
    const count = {
      ...plain,
      id: 'watched',
      message(message: Parameters<typeof plain.message>[0]) {
        if (message.text.includes('is left out here')) lines.push(message.text)
        return plain.message(message)
      },
    }
    const fitter = createFitter(options(2000, { count }))
    const seen = new Set<string>()
    let sent = 0
    for (let n = 0; n < 60; n++) {
      fitter.append(user(`question ${n}`))
      const told = fitter
        .context()
        .messages.filter(({ content }) => `${content}`.includes('is left out here'))
      sent += told.length
      // A line is counted several times while it is shortened.
      const fresh = new Set(lines.splice(0).map(line => line.split(')', 1)[0]!))
      expect([...fresh].filter(name => seen.has(name))).toEqual([])
      for (const name of fresh) seen.add(name)
      fitter.append(
        ...round('read', `result ${n} ${'word '.repeat(150)}`),
        assistant('It is read.'),
      )
    }
    expect(seen.size).toBeGreaterThan(10)
    expect(sent).toBeGreaterThan(2 * seen.size)
  })

  it('shares most of every prompt with the one before, and the receipt says so', () => {
    const fitter = createFitter(options(400))
    const shares: number[] = []
    const all = chat(120)
    for (let length = 0; length < all.length; length += 2) {
      fitter.append(all[length]!)
      const { receipt } = fitter.context()
      if (length > 80) shares.push(receipt.prefix!.share)
      fitter.append(all[length + 1]!)
    }
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.8)
  })

  it('does not move when the system prompt changes a little, as with a date', () => {
    const all = chat(60)
    const today = fit([system('You are kind. Today is Monday.'), ...all], options(400))
    const later = fit([system('You are kind. Today is Tuesday the ninth.'), ...all], options(400))
    expect(cutOf(later)).toBe(cutOf(today))
    expect(cutOf(today)).toBeGreaterThan(0)
  })

  it('cuts at a user message', () => {
    const all = chat(80)
    for (let length = 41; length <= all.length; length += 2) {
      const { messages } = fit(all.slice(0, length), options(300))
      expect(messages[2]!.role).toBe('user')
    }
  })

  it('cuts inside one long turn at a round, and keeps its user message', () => {
    const all = [
      user('first thing'),
      assistant('ok'),
      user('now do it all'),
      ...Array.from({ length: 80 }, (_, n) => round('run', `output ${n} a b c d e f g h`)).flat(),
    ]
    let before: Context | undefined
    let cuts = 0
    for (let length = 3; length <= all.length; length += 2) {
      const context = fit(all.slice(0, length), options(200))
      expect(context.messages).toContain(all[0])
      expect(context.messages).toContain(all[2])
      expect(context.messages.at(-1)).toBe(all[length - 1])
      if (before && cutOf(before) !== cutOf(context)) cuts += 1
      before = context
    }
    expect(cuts).toBeGreaterThan(3)
    expect(cuts).toBeLessThan(15)
  })

  it('leaves a unit that is larger than all its room to its successor', () => {
    const huge = [
      user('first'),
      assistant('x '.repeat(150)),
      user('second'),
      assistant('ok'),
      user('third'),
    ]
    const { messages } = fit(huge, options(150))
    expect(messages).toEqual([
      huge[0],
      { role: 'system', content: expect.any(String) },
      ...huge.slice(2),
    ])
  })

  it('counts system messages that the cut has passed', () => {
    const all = chat(60)
    all.splice(20, 0, system('a rule that was added later on'))
    for (let length = 60; length <= all.length; length += 2) {
      const context = fit(all.slice(0, length), options(250))
      expect(context.messages.filter(message => message.role === 'system')).toHaveLength(2)
    }
  })

  it('adds digests of what it cut when it is given room for them', () => {
    const all = chat(60)
    const { messages, receipt } = fit(all, options(600, { policy: stable({ digests: 0.2 }) }))
    const line = messages.find(message => message.content.startsWith('[Previous: '))!
    expect(line.role).toBe('user')
    expect(line.content.split('\n').length).toBeGreaterThan(1)
    expect(receipt.parts.digests).toBeLessThanOrEqual(120)
    expect(receipt.counts.digested).toBeGreaterThan(2)
  })

  it('does not repeat the first message, which is sent itself, in its digest', () => {
    const task = user('Mend the roof of the house by the lake before winter comes.')
    const paint = (it: string) => [
      user(`Paint the ${it}.`),
      assistant(`The ${it} is painted. ${'It took a while. '.repeat(20)}`),
    ]
    const painted = ['door', 'fence', 'gate'].flatMap(paint)
    const all = [task, assistant('The roof is mended.'), ...painted, user('Go on.')]
    const { messages } = fit(all, options(250, { policy: stable({ digests: 0.3 }) }))
    expect(messages).toContain(task)
    expect(messages.filter(({ content }) => content.includes('Mend the roof'))).toEqual([task])
    expect(
      messages.some(({ content }) => content.includes('[Previous: "…" → The roof is mended.')),
    ).toBe(true)
  })

  it('is the same from a cold start, from a fork, and turn by turn', () => {
    const text = fc.integer({ min: 1, max: 60 }).map(length => 'word '.repeat(length))
    const message = fc.oneof(
      text.map(user),
      text.map(assistant),
      text.map(system),
      text.map(content => [calls('run'), result('run', content)]),
    )
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 60 }),
        fc.integer({ min: 60, max: 500 }),
        fc.nat(),
        (groups, window, seed) => {
          const all = groups.flat()
          const settings = options(window, { overflow: 'keep' })
          const at = all.length > 0 ? seed % all.length : 0
          const warm = all.map((_, index) =>
            JSON.stringify(fit(all.slice(0, index + 1), settings).messages),
          )
          // A fork with another continuation, then the shared past again.
          fit([...all.slice(0, at), user('another way'), assistant('then')], settings)
          const again = JSON.stringify(fit(all.slice(0, at), settings).messages)
          const cold = JSON.stringify(fit(structuredClone(all.slice(0, at)), settings).messages)
          expect(again).toBe(cold)
          if (at > 0) expect(warm[at - 1]).toBe(cold)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('never uses more than the window, turn by turn', () => {
    const all = chat(150)
    for (let length = 1; length <= all.length; length++) {
      for (const window of [64, 100, 333]) {
        expect(fit(all.slice(0, length), options(window)).tokens).toBeLessThanOrEqual(window)
      }
    }
  })
})

describe('the journal of what was cut', () => {
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, n) => round('run', `output ${n} a b c d e f g h`)).flat()

  it('stands for the earlier rounds of a turn that is still open', () => {
    const all = [user('first'), assistant('ok'), user('now do it all'), ...rounds(60)]
    const { messages, receipt } = fit(all, options(400, { policy: stable({ digests: 0.2 }) }))
    const journal = messages.find(message =>
      message.content.startsWith('[Actions so far in this turn:]'),
    )!
    expect(journal.role).toBe('user')
    expect(journal.content).toMatch(/\(\.\.\. and \d+ earlier actions\)\n/)
    expect(journal.content).toMatch(/\n\d+\. \[run\] → output \d+ a b c d e f g h/)
    expect(messages.indexOf(journal)).toBeGreaterThan(messages.indexOf(all[2]!))
    expect(receipt.parts.journal).toBeGreaterThan(0)
    const named = receipt.entries.filter(
      entry => entry.why === 'a line of the journal stands for it',
    )
    const lines = journal.content.match(/^\d+\. /gm)!.length
    // A call and its result for each line; calls that are only counted are omitted, and the marker says so. The first round stays.
    expect(named).toHaveLength(lines * 2)
    expect([3, 5].map(seq => receipt.entries[seq]!.fate)).toEqual(['kept', 'omitted'])
    expect(receipt.parts.marker).toBeGreaterThan(0)
  })

  it('tells the next turn what the one before the cut did', () => {
    const all = Array.from({ length: 40 }, (_, n) => [
      user(`step ${n} please`),
      ...rounds(1),
      assistant(`step ${n} done`),
    ]).flat()
    const contexts = Array.from({ length: 39 }, (_, n) =>
      fit(all.slice(0, n * 4 + 5), options(260, { policy: stable({ digests: 0.3 }) })),
    )
    const texts = contexts.flatMap(({ messages }) => messages.map(message => message.content))
    expect(texts.some(text => text.startsWith('[Summary of previous turn actions:] '))).toBe(true)
  })

  it('stays the same from call to call until the next cut', () => {
    const all = [user('go'), ...rounds(70)]
    let before: Context | undefined
    for (let length = 41; length <= all.length; length += 2) {
      const context = fit(all.slice(0, length), options(400, { policy: stable({ digests: 0.2 }) }))
      const isSameCut =
        before &&
        before.receipt.counts.digested === context.receipt.counts.digested &&
        cutOf(before) === cutOf(context)
      if (isSameCut)
        expect(context.messages.slice(0, before!.messages.length)).toEqual(before!.messages)
      before = context
    }
  })
})
