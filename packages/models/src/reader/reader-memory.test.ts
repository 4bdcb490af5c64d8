import { fit, sliding, spongebob, stable, tiered } from '@throughline/core'
import type { MessageLike } from '@throughline/core/messages'
import { system, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { answer } from './answer.ts'

/** A conversation that the reader itself took part in. */
function talk(turns: number, at: Readonly<Record<number, string>>) {
  const messages: { role: string; content: string }[] = [system('You help in a harbour.')]
  for (let turn = 0; turn < turns; turn++) {
    messages.push(
      user(
        at[turn] ??
          `Ship ${turn} brought ${turn * 3} barrels of tar and a parrot to quay ${turn % 7}.`,
      ),
    )
    messages.push({ role: 'assistant', content: answer(messages).text })
  }
  return messages
}

const asked = (
  messages: readonly MessageLike[],
  question: string,
  options: Omit<Parameters<typeof fit>[1], 'window'>,
) => {
  const chat = [...messages, user(question)]
  return answer(fit(chat, { window: 2048, reserve: 128, ...options }).messages).text
}

describe('what a context holds decides what the reader knows', () => {
  const chat = talk(200, { 20: 'My locker code is 4471.' })
  const question = 'What is my locker code?'

  it('an old fact is answered with recall, and not without', () => {
    expect(asked(chat, question, {})).toMatch(/^You said: "My locker code is 4471/)
    expect(asked(chat, question, { shape: 'alternating' })).toMatch(
      /^You said: "My locker code is 4471/,
    )
    for (const policy of [spongebob(), sliding({ messages: 50 }), stable()]) {
      expect(asked(chat, question, { policy })).toBe(
        'I found no sentence that answers that in what I was given.',
      )
    }
  })

  it('a fact that changed is answered in its newest form', () => {
    const changed = talk(200, { 20: 'My locker code is 4471.', 195: 'My locker code is now 5582.' })
    expect(asked(changed, question, {})).toContain('5582')
    const early = talk(200, { 0: 'My locker code is 4471.', 20: 'My locker code is now 5582.' })
    expect(asked(early, question, {})).toContain('5582')
  })

  it('a digest is read as what it stands for', () => {
    const short = talk(12, { 2: 'My locker code is 4471.' })
    expect(asked(short, question, { policy: tiered({ full: 2 }) })).toMatch(
      /^You said: "My locker code is 4471/,
    )
  })
})

it('a loop of sixty rounds ends in a window that holds a few of them', () => {
  const tools = [{ name: 'add', parameters: { type: 'object' } }]
  const messages: MessageLike[] = [system('Count.'), user('repeat 60 times: add({"n":$i})')]
  const seen: number[] = []
  let journals = 0
  for (;;) {
    const context = fit(messages, { window: 700 })
    if (context.messages.some(({ content }) => String(content).startsWith('[Actions so far')))
      journals++
    const { calls, text } = answer(context.messages, tools)
    if (calls.length === 0) {
      expect(text).toBe('I made 60 calls. add said: "60 is counted".')
      break
    }
    const { n } = JSON.parse(calls[0]!.arguments)
    seen.push(n)
    messages.push(
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'add', arguments: { n } } }],
      },
      { role: 'tool', tool_name: 'add', content: `${n} is counted` },
    )
    expect(seen.length).toBeLessThanOrEqual(60)
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  expect(journals).toBeGreaterThan(0)
})
