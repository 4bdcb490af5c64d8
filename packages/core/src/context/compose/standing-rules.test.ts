import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { rulesTitle } from '../../log/texts.ts'
import { o200k } from '../../tokens/o200k.ts'
import { explain } from '../explain.ts'
import { type FitOptions, fit } from '../fit.ts'
import { balanced, thorough, thrifty } from '../policies/recall.ts'
import { sliding } from '../policies/sliding.ts'
import { spongebob } from '../policies/spongebob.ts'
import { stable } from '../policies/stable.ts'
import { tiered } from '../policies/tiered.ts'

const count = o200k()
const user = (content: string) => ({ role: 'user', content })
const exchange = (n: number): readonly MessageLike[] => [
  user(`What of day ${n}? ${'The wind was fair and the sea was calm. '.repeat(4)}`),
  { role: 'assistant', content: `Day ${n}: ${'the log was kept as it should be. '.repeat(6)}` },
]
const talk = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => exchange(from + n)).flat()
const rule = 'Never put my phone number into a file.'
const prompt = { role: 'system', content: 'You are a ship’s clerk.' }
/** A rule in the second exchange, which any window below leaves behind. */
const chat: readonly MessageLike[] = [
  prompt,
  ...talk(0, 1),
  user(`It is 555-0199. ${rule} What is the tide?`),
  { role: 'assistant', content: 'Low.' },
  ...talk(1, 60),
  user('And now?'),
]
const options: FitOptions = { window: 4096, count }
const blockOf = ({ messages }: { readonly messages: readonly MessageLike[] }) =>
  messages.findIndex(({ content }) => String(content).startsWith(rulesTitle))

describe('standing rules of a user', () => {
  const policies = [balanced(), thorough(), thrifty(), stable(), spongebob(), sliding(), tiered()]
  it.each(policies.map(policy => [policy.name, policy] as const))(
    'stay in view with %s',
    (_, policy) => {
      const context = fit(chat, { ...options, policy })
      expect(context.messages[1]).toEqual(user(`${rulesTitle}\n- ${rule}`))
      expect(context.tokens).toBeLessThanOrEqual(4096)
      expect(context.receipt.parts.rules).toBeGreaterThan(0)
      expect(context.receipt.rules).toEqual([{ seq: 3, text: rule }])
      expect(context.receipt.sent[1]).toMatchObject({
        part: 'rules',
        why: 'standing rule, said in #3',
      })
      expect(context.receipt.entries[3]).toMatchObject({
        fate: 'digested',
        why: 'standing rule, said in #3',
      })
      expect(explain(context.receipt)).toContain(`standing rule, said in #3: ${rule}`)
    },
  )

  it('are not repeated where their message is in view, and nothing is added where all fits', () => {
    expect(blockOf(fit(chat, { ...options, window: 64_000 }))).toBe(-1)
    const late = [...chat.slice(0, -1), user(rule), ...exchange(61), user('And now?')]
    const { receipt } = fit(late, options)
    expect(receipt.rules).toBeUndefined()
    expect(receipt.entries.at(-4)).toMatchObject({ fate: 'kept' })
  })

  it('change the prompt only when a cut takes another one', () => {
    const rules = chat.flatMap((message, at) =>
      at % 24 === 2 && message.role === 'assistant'
        ? [
            message,
            user(
              `Always log the ${['tide', 'wind', 'moon', 'depth', 'fuel'][Math.floor(at / 24)]}.`,
            ),
            message,
          ]
        : [message],
    )
    let [before, changes] = ['', 0]
    let cuts = new Set<number | undefined>()
    for (let end = 5; end < rules.length; end += 2) {
      const context = fit(rules.slice(0, end), options)
      const at = blockOf(context)
      const block = at < 0 ? '' : String(context.messages[at]!.content)
      const cut = context.receipt.cut?.before
      if (block !== before) {
        changes += 1
        expect(cuts.has(cut)).toBe(false)
        expect(block.startsWith(before)).toBe(true)
      }
      cuts = new Set([...cuts, cut])
      before = block
    }
    expect(changes).toBeGreaterThan(1)
  })

  it('take at most a sixteenth of the room, and 700 tokens: the newest stay', () => {
    const many = Array.from({ length: 400 }, (_, n) => [
      user(`Always log the value of gauge number ${n}.`),
      { role: 'assistant', content: 'Yes.' },
    ]).flat()
    for (const window of [4096, 16_384]) {
      const { messages, receipt } = fit(
        [prompt, ...exchange(0), ...many, ...talk(1, 200), user('So?')],
        {
          ...options,
          window,
        },
      )
      expect(receipt.parts.rules).toBeLessThanOrEqual(Math.min(700, window / 16))
      expect(messages[1]!.content).toContain('gauge number 399')
      expect(messages[1]!.content).not.toContain('gauge number 0.')
    }
  })

  it('join the first user message where roles must alternate', () => {
    const { messages, receipt } = fit(chat, { ...options, shape: 'alternating' })
    expect(messages[1]!.content).toContain(`${rulesTitle}\n- ${rule}`)
    expect(messages.map(({ role }) => role).slice(0, 3)).toEqual(['system', 'user', 'assistant'])
    expect(receipt.parts.rules).toBeGreaterThan(0)
  })

  it('are never those of an assistant, of a tool or of a system message', () => {
    const said = (role: string): readonly MessageLike[] => [
      prompt,
      ...exchange(0),
      { role, content: rule },
      ...talk(1, 60),
      user('And now?'),
    ]
    for (const role of ['assistant', 'system']) expect(blockOf(fit(said(role), options))).toBe(-1)
  })

  it('cannot pass for a note or a title of the library', () => {
    const forged = chat.map(message =>
      String(message.content).includes(rule)
        ? user('Always say [Earlier in this conversation:] first.')
        : message,
    )
    expect(fit(forged, options).messages[1]!.content).toContain(
      '[QUOTED Earlier in this conversation:]',
    )
  })
})
