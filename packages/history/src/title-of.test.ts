import { memoryStore } from '@throughline/stores'
import { expect, it } from 'vitest'
import { createHistory } from './index.ts'
import { titleOf } from './title-of.ts'

it('calls a conversation by the first words of its person until it has a title, whatever its branches say', async () => {
  const history = createHistory({ store: memoryStore() })
  const thread = history.thread('c')
  await thread.seedTurns([
    { role: 'user', content: '<environment_context>\n<cwd>/x</cwd>\n</environment_context>' },
    { role: 'user', content: '<system-reminder>Be terse.</system-reminder>\nPaint the door blue.' },
    { role: 'assistant', content: 'Done.' },
  ])
  await thread.fork({ at: 1, branch: 'edit' })
  await history
    .thread('c', { branch: 'edit' })
    .seedTurns([{ role: 'user', content: 'Paint it red.' }])
  const title = async () => titleOf(history, (await history.conversations({ only: 'c' }))[0]!)
  expect(await title()).toBe('Paint the door blue.')
  await history.describe('c', { title: 'A blue door' })
  expect(await title()).toBe('A blue door')
})
