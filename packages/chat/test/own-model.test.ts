import type { Model, ModelPart } from '@throughline/models'
import { ModelError } from '@throughline/models'
import { describe, expect, it } from 'vitest'
import { createChat } from '../src/index.ts'

/** A model as a newcomer writes it, which gives these values for parts. */
const gives = (...parts: readonly unknown[]): Model => ({
  name: 'mine',
  window: async () => 4096,
  async *stream() {
    yield* parts as readonly ModelPart[]
  },
})
const answer = (model: Model) =>
  createChat({ model, backoffMs: 1 }).respond([{ role: 'user', content: 'hi' }])

describe('a model of one’s own that gives what is no part', () => {
  it.each([
    ['a type that there is not', { type: 'text', text: 'x' }, '"text"'],
    ['no type', { text: 'x' }, 'undefined'],
    ['nothing', undefined, 'undefined'],
    ['a delta without text', { type: 'text-delta', delta: 'x' }, '"text-delta"'],
    [
      'arguments that are an object',
      { type: 'tool-call', id: '1', name: 'add', arguments: {} },
      '"tool-call"',
    ],
    ['an end without its reason', { type: 'end' }, '"end"'],
  ])('%s is refused, by its name', async (_, part, shown) => {
    const error = await answer(gives(part))
      .result()
      .catch(error => error)
    expect(error).toBeInstanceOf(ModelError)
    expect(error.code).toBe('model_refused')
    expect(error.message).toContain('The model "mine" gave a part')
    expect(error.message).toContain(shown)
  })

  it.each([
    ['a window that is a number', { ...gives(), window: 4096 }],
    ['no name', { window: gives().window, stream: gives().stream }],
  ])('has %s: the chat is not made', (_, model) => {
    const make = () => createChat({ model: model as unknown as Model })
    expect(make).toThrow('or your own { name, window(), stream() }')
  })

  it('may leave out what it cannot count', async () => {
    const result = await answer(
      gives({ type: 'text-delta', text: 'ahoy' }, { type: 'end', reason: 'stop' }),
    )
    expect(result).toMatchObject({ status: 'completed', text: 'ahoy', usage: {} })
  })

  it('has its words in the warning as a sentence', async () => {
    let isBusy = true
    const model: Model = {
      ...gives(),
      async *stream() {
        if (isBusy) {
          isBusy = false
          throw new ModelError('model_busy', 'the server says 429')
        }
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    }
    const warnings: string[] = []
    for await (const part of answer(model)) if (part.type === 'warning') warnings.push(part.message)
    expect(warnings[0]).toBe('the server says 429. Trying again in 1 ms (1 of 3).')
  })
})
