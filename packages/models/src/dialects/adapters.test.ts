import { expect, it } from 'vitest'
import { deep, refusalOf } from './adapters.fixture.ts'
import { openaiAdapter } from './openai/index.ts'

it('finds a reader that lets anything through', () => {
  const careless = (messages: readonly unknown[]) =>
    refusalOf(
      {
        ...openaiAdapter,
        read: body => ({
          ...openaiAdapter.read({ model: 'm', messages: [] }),
          ...(body as object),
        }),
      },
      { messages },
    )
  expect(careless([{ role: 'user', content: 'a' }])).toBeUndefined()
  expect(() => careless([{ role: 'assistant_note', content: 'a' }])).toThrow('note')
  expect(() => careless([{ role: 'user', content: 1 }])).toThrow('content')
  expect(() => careless([{ role: 'user', content: 'a', more: deep() }])).toThrow(RangeError)
})
