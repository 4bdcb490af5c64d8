import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { assistant, user } from '../../testing/builders.ts'
import { fit } from '../fit.ts'
import { balanced, thorough, thrifty } from '../policies/recall.ts'

const words = (many: number, seed: number) =>
  Array.from({ length: many }, (_, n) => `w${(n * 7 + seed * 13) % 997}`).join(' ')

const talk = Array.from({ length: 80 }, (_, n) => [
  user(`What about ${words(10, n)}?`),
  assistant(words(60, n + 500)),
]).flat()

const policies = [balanced(), thrifty(), thorough()]

/** Whether a text is sent whole, at the end of a long talk, for each of some messages that follow it. */
function stays(
  begun: readonly MessageLike[],
  text: string,
  followUps: readonly string[],
  window: number,
) {
  return policies.map(policy => {
    const chat = [...talk, ...begun]
    return followUps.map(followUp => {
      chat.push(user(followUp))
      const { messages } = fit(chat, { window, reserve: window / 8, policy })
      chat.push(assistant('Yes, that is in it.'))
      return messages.some(({ content }) => String(content).includes(text))
    })
  })
}

const always = (followUps: readonly string[]) => policies.map(() => followUps.map(() => true))

describe('what is talked about stays in view', () => {
  it.each([2048, 4096, 8192, 16_384])(
    'a contract, "Thanks.", "And who pays the fee?", in %i tokens',
    window => {
      const contract = `The contract. ${words(Math.floor(window / 4.5), 3)} The buyer pays the fee.`
      const begun = [user(`${contract}\nPlease summarise it.`), assistant('A sale of a boat.')]
      const followUps = [
        'Thanks.',
        'And who pays the fee?',
        'Is there a deadline in it?',
        'Put that in one sentence.',
      ]
      expect(stays(begun, contract, followUps, window)).toEqual(always(followUps))
    },
  )

  it('a list of sixty items', () => {
    const list = Array.from({ length: 60 }, (_, n) => `${n + 1}. ${words(3, n)}`).join('\n')
    const begun = [user('Make me a list of sixty items.'), assistant(list)]
    const followUps = ['Thanks.', 'What was the second one?']
    expect(stays(begun, list, followUps, 4096)).toEqual(always(followUps))
  })

  it('a story, "Go on."', () => {
    const chapter = `Chapter one. ${words(150, 9)}`
    const begun = [user('Tell me a story.'), assistant(chapter)]
    expect(stays(begun, chapter, ['Go on.', 'Go on.'], 4096)).toEqual(always(['Go on.', 'Go on.']))
  })
})
