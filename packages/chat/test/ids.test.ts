import { createHistory } from '@throughline/history'
import { reader } from '@throughline/models'
import { newHistory } from '@throughline/test-tools/chat-help'
import { someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createChat, type SendOptions } from '../src/index.ts'

/** What a handler passes on when the id of a request is missing or misread. */
const noIds: readonly unknown[] = [undefined, null, '', 7, {}, ['a']]

describe('a conversation without an id', () => {
  it('is refused before anything is written: nobody is answered from what another one said', async () => {
    const history = newHistory()
    const chat = createChat({ history, model: reader() })
    for (const conversation of noIds) {
      const options = { conversation } as SendOptions
      expect(() => chat.send('My PIN is 4471.', options)).toThrow(
        expect.objectContaining({ code: 'invalid_option', option: 'conversation' }),
      )
    }
    expect(await history.conversations()).toEqual([])
  })

  it('is refused also where the options are left out, by the compiler too', () => {
    const chat = createChat({ history: newHistory(), model: reader() })
    const problem = expect.objectContaining({ option: 'conversation' })
    // @ts-expect-error: the id is required
    expect(() => chat.send('Hello?')).toThrow(problem)
    // @ts-expect-error: the id is required
    expect(() => chat.send('Hello?', {})).toThrow(problem)
    // @ts-expect-error: the id is required
    expect(() => chat.send('Hello?', { key: 'k1' })).toThrow(problem)
    expect(() => chat.send('Hello?', null as never)).toThrow(
      expect.objectContaining({ option: 'options' }),
    )
  })

  it('is refused by the history, whatever the view', () => {
    const history = newHistory()
    for (const id of noIds) {
      expect(() => history.thread(id as string)).toThrow(
        expect.objectContaining({ code: 'invalid_option', option: 'conversation' }),
      )
      if (id === undefined) continue
      for (const option of ['actor', 'branch'])
        expect(() => history.thread('trip', { [option]: id as string })).toThrow(
          expect.objectContaining({ code: 'invalid_option', option }),
        )
    }
  })

  it('says what was given, as it was given', () => {
    const chat = createChat({ history: newHistory(), model: reader() })
    expect(() => chat.send('Hello?', { conversation: 7 as never })).toThrow(/got 7\b/)
    expect(() => chat.send('Hello?', { conversation: undefined as never })).toThrow(/got undefined/)
  })
})

const stores = await someStores()
describe.each(stores)('a branch that nobody made, on %s', (_, create) => {
  const noBranch = expect.objectContaining({ name: 'NoBranchError', code: 'no_branch' })

  it('is refused, and nothing is written', async () => {
    const history = createHistory({ store: create() })
    const chat = createChat({ history, model: reader() })
    await chat.send('My code is 12.', { conversation: 'trip' }).result()
    const sent = chat.send('What is my code?', { conversation: 'trip', branch: 'edti' })
    await expect(sent.result()).rejects.toEqual(noBranch)
    const unknown = history.thread('trip', { branch: 'edti' })
    await expect(unknown.begin({ role: 'user', content: 'Hello?' })).rejects.toEqual(noBranch)
    await expect(unknown.seed({ role: 'user', content: 'Hello?' })).rejects.toEqual(noBranch)
    for (const view of ['messages', 'entries', 'display', 'notes', 'context'] as const)
      await expect(unknown[view](), view).rejects.toEqual(noBranch)
    await expect(unknown.display({ limit: 2 })).rejects.toEqual(noBranch)
    const [{ threads } = { threads: [] }] = await history.conversations()
    expect(threads.map(({ branch }) => branch)).toEqual(['main'])
  })

  it('can be used once it was forked, also from the very beginning', async () => {
    const history = createHistory({ store: create() })
    const chat = createChat({ history, model: reader() })
    await chat.send('My code is 12.', { conversation: 'trip' }).result()
    await history.thread('trip').fork({ at: 0, branch: 'again' })
    const again = history.thread('trip', { branch: 'again' })
    expect(await again.messages()).toEqual([])
    await chat.send('My code is 13.', { conversation: 'trip', branch: 'again' }).result()
    const [first] = await again.messages()
    expect(first?.content).toBe('My code is 13.')
  })
})
