import { ModelError } from '@throughline/models/model'
import { expect, it } from 'vitest'
import { defineExperiment } from '../index.ts'
import { checkModels, chooseModel } from './load-plan.ts'

const { signal } = new AbortController()

/** Where a model of this environment is looked for, as its error says. Nobody listens on these ports. */
async function addressFor(OLLAMA_HOST: string): Promise<string> {
  const failure = chooseModel('ollama:llama3.2', { OLLAMA_HOST }).window(
    AbortSignal.timeout(20_000),
  )
  const { message } = (await failure.catch(error => error)) as Error
  return /Ollama at (\S+?)[:.,]?\s/.exec(message)?.[1] ?? message
}

it('looks for Ollama where OLLAMA_HOST says, however it is written', async () => {
  expect(await addressFor('127.0.0.1:1')).toBe('http://127.0.0.1:1')
  expect(await addressFor('0.0.0.0:1')).toBe('http://127.0.0.1:1')
  expect(await addressFor('http://localhost:1')).toBe('http://localhost:1')
  expect(() => chooseModel('ollama:x', { OLLAMA_HOST: ':1' })).toThrow('OLLAMA_HOST is no address')
  expect(chooseModel('reader', { OLLAMA_HOST: 'x' }).name).toBe('reader')
})

it('tells a model that is not there with its reason, unless its window need not be asked for', async () => {
  const model = {
    ...chooseModel('reader'),
    window: async () => {
      throw new ModelError('model_unavailable', 'Start it first.')
    },
  }
  const planOf = (role: object) =>
    defineExperiment({ name: 'x', environment: {}, roles: [{ name: 'a', model, ...role }] })
  await expect(checkModels(planOf({}), signal)).rejects.toThrow('Start it first.')
  await expect(checkModels(planOf({ window: 100 }), signal)).resolves.toBeUndefined()
})
