import { growth, notLinear } from '@throughline/test-tools/growth'
import { expect, it } from 'vitest'
import type { MessageLike } from '../log/message.ts'
import type { StandardSchema } from './define-state.ts'
import { defineState, readState } from './index.ts'

const any: StandardSchema<number> = {
  '~standard': { version: 1, vendor: 'test', validate: value => ({ value: value as number }) },
}
const sum = defineState({
  name: 'sum',
  tool: 'add',
  schema: any,
  initial: 0,
  fold: (before, n) => before + n,
})

/** One round of the AI SDK: all calls in one message, all results in the next. */
function roundOf(size: number): readonly MessageLike[] {
  const ids = Array.from({ length: size }, (_, n) => `c${n}`)
  const parts = (type: string, rest: object) =>
    ids.map(toolCallId => ({ type, toolCallId, toolName: 'add', ...structuredClone(rest) }))
  return [
    { role: 'user', content: 'add' },
    { role: 'assistant', content: parts('tool-call', { input: {} }) },
    { role: 'tool', content: parts('tool-result', { output: { type: 'json', value: 1 } }) },
  ] as readonly MessageLike[]
}

it('reads any number of results in one message in linear time', () => {
  expect(readState(roundOf(50), sum).value).toBe(50)
  // New messages each time: what was read of known ones is remembered.
  const exponent = growth(
    size => size,
    size => readState(roundOf(size), sum),
    { size: 2_000 },
  )
  expect(exponent).toBeLessThan(notLinear)
})

it('notices that a result is marked as an error in place, although its text stays', () => {
  const messages = roundOf(2)
  expect(readState(messages, sum).value).toBe(2)
  const [part] = messages[2]!.content as { output: { type: string } }[]
  part!.output.type = 'error-json'
  expect(readState(messages, sum)).toMatchObject({
    value: 1,
    skipped: [{ reason: 'error result' }],
  })
})
