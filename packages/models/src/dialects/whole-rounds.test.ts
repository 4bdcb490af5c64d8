import { expect, it } from 'vitest'
import type { ChatRequest } from './adapter.ts'
import { withWholeRounds } from './whole-rounds.ts'

const kinds = {
  u: { role: 'user', content: 'Look.' },
  s: { role: 'system', content: 'Be brief.' },
  c: { role: 'assistant', content: '', tool_calls: [{ id: 'a' }, { id: 'b' }] },
  t: { role: 'tool', content: 'A leaf.' },
  a: { role: 'assistant', content: 'A leaf.' },
} as const

/** The roles of a list by their letters, and those of the list as it is filed; `origins`: from where each was read. */
function filed(letters: string) {
  const messages = [...letters].map(letter => kinds[letter as keyof typeof kinds])
  const origins = messages.map((_, at) => ({ first: at, last: at }))
  const request = { messages, origins, named: {} } as unknown as ChatRequest
  const read = withWholeRounds(request)
  const letterOf = (message: object) => Object.entries(kinds).find(([, one]) => one === message)![0]
  return [read.messages.map(letterOf).join(''), read.origins!.map(({ first }) => first).join('')]
}

it.each([
  ['ucst', 'ucts', '0132'],
  ['ucstsst', 'ucttsss', '0136245'],
  ['ucstsu', 'uctssu', '013245'],
])('puts the results of %s behind their calls', (letters, order, origins) => {
  expect(filed(letters)).toEqual([order, origins])
})

it.each(['usa', 'ucts', 'ucttsa', 'ucs', 'ucsu', 'uas', 'ust', 'st'])(
  'leaves %s as it is',
  letters => {
    expect(filed(letters)[0]).toBe(letters)
  },
)
