import { createChat } from '@throughline/chat'
import { createHistory } from '@throughline/history'
import { reader } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createExperiments, defineExperiment } from '../src/index.ts'
import { openExperiments, rolesOf, script, scriptIn, textsOf } from './fixture.ts'

/** The checks that the first document asks for, with a model that can only answer from what it is sent. */
it('remembers what was said in the step before', async () => {
  const { experiments, history } = openExperiments()
  const says = ['My locker has the number 4471.', 'What number did I just say?']
  const plan = defineExperiment({
    name: 'hello world',
    environment: { weather: { type: 'enum:[sunny,rainy]', value: 'sunny' } },
    roles: [
      { name: 'listener', model: reader(), system: 'You listen.' },
      { name: 'stranger', model: reader() },
    ],
    hooks: [
      {
        on: 'before-model',
        run: ({ role, step }) =>
          role === 'listener' ? { inject: says[step - 1]! } : { inject: says[1]! },
      },
    ],
    maxSteps: 2,
  })
  await experiments.run(plan, { id: 'e' }).result()
  const messages = await experiments.history('e', 'listener')
  const step = ['user', 'user', 'assistant']
  expect(rolesOf(messages)).toEqual([...step, ...step])
  expect(textsOf(messages)[5]).toContain('4471')
  // The prompt of the second step holds the first one.
  const thread = history.thread('e', { actor: 'listener' })
  const [second] = await thread.calls()
  const sent = await thread.replay(second!)
  expect(rolesOf(sent)).toEqual(['system', ...step, 'user', 'user'])
  expect(textsOf(sent).slice(1, 3)).toEqual([
    'Step 1. Current Environment: {"weather":"sunny"}',
    says[0],
  ])
  // Nobody told the other role.
  expect(JSON.stringify(await experiments.history('e', 'stranger'))).not.toContain('locker')
})

it('knows nothing of a person’s conversations, which know nothing of it', async () => {
  const history = createHistory({ store: memoryStore(), person: 'ada', remember: 'person' })
  const chat = createChat({ history, model: reader() })
  await chat.send('My locker has the number 4471.', { conversation: 'chat' }).result()
  const question = 'Which number has my locker?'
  const plan = defineExperiment({
    name: 'apart',
    environment: { weather: { type: 'enum:[sunny,rainy]', value: 'sunny' } },
    roles: [{ name: 'listener', model: reader() }],
    hooks: [
      { on: 'before-model', run: () => ({ inject: `${question} The key is in the zebra box.` }) },
    ],
    maxSteps: 1,
  })
  const experiments = createExperiments({ history })
  await experiments.run(plan, { id: 'e' }).result()
  expect(textsOf(await experiments.history('e', 'listener')).join()).not.toContain('4471')
  const ask = async (text: string) => (await chat.send(text, { conversation: 'new' }).result()).text
  expect(await ask(question)).toContain('4471')
  expect(await ask('In which box is the key?')).not.toContain('zebra')
})

it('remembers it also when it was injected before the role', async () => {
  const { experiments } = openExperiments()
  const says = ['My locker has the number 4471.', 'What number did I just say?']
  const plan = defineExperiment({
    name: 'hello role',
    environment: { weather: { type: 'string', value: 'sunny' }, cash: { type: 'int', value: 20 } },
    roles: [{ name: 'listener', model: reader(), system: 'You listen.' }],
    hooks: [{ on: 'before-role', run: ({ step }) => ({ inject: says[step - 1]! }) }],
    maxSteps: 2,
  })
  await experiments.run(plan, { id: 'e' }).result()
  expect(textsOf(await experiments.history('e', 'listener'))[5]).toContain('4471')
})

it.each(['before-step', 'before-role', 'before-model'] as const)(
  'sends what a hook injects %s in that step, however long the steps before were',
  async on => {
    const { experiments } = openExperiments()
    const model = scriptIn({ window: 4096 }, 'Noted. '.repeat(120))
    const news = (step: number) =>
      `News of step ${step}. ${`The harbour has ${step} boats today. `.repeat(200)}`
    const plan = defineExperiment({
      name: 'news',
      environment: { weather: { type: 'string', value: 'sunny' } },
      roles: [{ name: 'listener', model: model.model }],
      hooks: [{ on, run: ({ step }: { step: number }) => ({ inject: news(step) }) }],
      maxSteps: 8,
    })
    await experiments.run(plan, { id: 'e' }).result()
    const sent = model.requests.map(({ messages }) => textsOf(messages))
    expect(sent.map((texts, at) => texts.includes(news(at + 1)))).toEqual(new Array(8).fill(true))
    // The steps do not fit together: the first news is gone at the end.
    expect(sent.at(-1)).not.toContain(news(2))
  },
)

it('sends the system prompt of the role alone, not those of a seeded history', async () => {
  const { experiments } = openExperiments()
  const model = script('ok')
  const history = [
    { role: 'system', content: 'You were a parrot.' },
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content: 'You were a clerk.' },
  ]
  const plan = defineExperiment({
    name: 'prompts',
    environment: {},
    roles: [{ name: 'listener', model: model.model, system: 'You listen.', history }],
    maxSteps: 1,
  })
  await experiments.run(plan, { id: 'e' }).result()
  expect(rolesOf(model.requests[0]!.messages)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(textsOf(model.requests[0]!.messages)[0]).toBe('You listen.')
})

it('sends images with the message of a step, and with a message of a hook', async () => {
  const { experiments } = openExperiments()
  const model = script('ok')
  const plan = defineExperiment({
    name: 'pictures',
    environment: {},
    roles: [
      { name: 'one', model: model.model },
      { name: 'two', model: model.model },
    ],
    hooks: [
      { on: 'before-step', run: () => ({ images: ['c3RlcA=='] }) },
      {
        on: 'before-role',
        run: ({ role }) =>
          role === 'two'
            ? { inject: { content: 'Look here.', images: ['aG9vaw=='] }, images: ['cm9sZQ=='] }
            : undefined,
      },
    ],
    maxSteps: 1,
  })
  await experiments.run(plan, { id: 'e' }).result()
  const images = model.requests.map(({ messages }) => messages.map(message => message.images))
  expect(images).toEqual([[['c3RlcA==']], [['aG9vaw=='], ['c3RlcA==', 'cm9sZQ==']]])
})

it('refuses what a hook gives as a message if it is none', async () => {
  const { experiments } = openExperiments()
  const plan = defineExperiment({
    name: 'no message',
    environment: {},
    roles: [{ name: 'one', model: script('ok').model }],
    hooks: [{ on: 'before-step', run: () => ({ inject: { text: 'wrong name' } as never }) }],
    maxSteps: 1,
  })
  const { status, result } = await experiments.run(plan, { id: 'e' }).result()
  expect([status, result]).toEqual([
    'FAILED',
    'Error: The hook before-step failed: "inject" must be a text or { content, images }',
  ])
})
