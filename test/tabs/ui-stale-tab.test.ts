import { createHistory } from '@throughline/history'
import { listen } from '@throughline/server/serve/listen'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { everyStore } from '@throughline/test-tools/every-store'
import { type Message, textOf, UiChat } from '@throughline/test-tools/ui-chat'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BackendName, backendNames, openBackend } from './backends.ts'
import { startScriptedOllama } from './scripted-ollama.ts'

const stores = await everyStore()
const cases = backendNames.flatMap(backend =>
  stores.map(([store, create]) => ({ backend, store, create }) as const),
)

/** Several instances of a backend on one store, and the model that they ask. */
async function startInstances(backend: BackendName, store: Store, count = 1) {
  const { url: ollama, prompts } = await startScriptedOllama()
  const urls = await Promise.all(
    Array.from({ length: count }, async () => {
      const { api, fetch, close } = openBackend(backend, store, ollama)
      const listening = await listen(fetch, {
        host: '127.0.0.1',
        port: 0,
        requestTimeoutMs: 60_000,
      })
      onTestFinished(async () => {
        await listening.close(0)
        await close()
      })
      return `${listening.url}${api}`
    }),
  )
  return {
    prompts,
    /** A tab of a chat; what it shows is `messages`. */
    tab: (id = 'talk', { at = 0, messages = [] as readonly Message[] } = {}) =>
      new UiChat(urls[at]!, { id, messages: structuredClone([...messages]) }),
    /** What a page that is loaded again begins with. */
    load: async (id = 'talk', at = 0) =>
      ((await (await fetch(`${urls[at]}/${id}`)).json()) as { readonly messages: Message[] })
        .messages,
  }
}

const textsOf = (messages: readonly Message[]) => messages.map(textOf)

it.each(cases)(
  'a stale tab goes on at the newest end, on one server or two, with $backend on $store',
  async ({ backend, create }) => {
    const store = create()
    const { prompts, tab, load } = await startInstances(backend, store, 2)
    for (const [id, at] of [
      ['same', 0],
      ['two', 1],
    ] as const) {
      const first = tab(id)
      await first.say('One?')
      const second = tab(id, { at, messages: first.messages })
      await first.say('Two?')
      const old = tab(id, { messages: first.messages })
      await second.say('Three?')
      const texts = textsOf(second.messages)
      expect(texts.filter((_, at) => at % 2 === 0)).toEqual(['One?', 'Two?', 'Three?'])
      expect(textsOf(await load(id, at))).toEqual(texts)
      const shown = await createHistory({ store }).thread(id).display()
      expect(shown.map(({ content }) => content)).toEqual(texts)
      // The model was asked with all of it.
      expect(prompts.at(-1)).toEqual(texts.slice(0, -1))
      await old.regenerate()
      expect(old.error?.message).toContain(
        'This chat has gone on elsewhere, perhaps in another tab.',
      )
      // Now the first tab is the stale one; then both know all.
      await first.say('Four?')
      await second.say('Five?')
      expect(textsOf(second.messages).slice(0, -2)).toEqual(textsOf(first.messages))
      const [info] = await store.conversations('default', { only: id })
      expect(info!.threads).toMatchObject([{ branch: 'main', head: 10 }])
    }
  },
)

describe.each(backendNames)('a stale tab, with %s', backend => {
  it('goes on at the newest end of another branch, if that has all that the tab shows', async () => {
    const { tab } = await startInstances(backend, memoryStore())
    const first = tab()
    await first.say('One?')
    const second = tab('talk', first)
    await first.say('Two?')
    const old = tab('talk', first)
    await first.regenerate()
    await second.say('Three?')
    expect(textsOf(second.messages)).toEqual([
      ...['One?', 'Answer 1.', 'Two?', 'Answer 3.', 'Three?', 'Answer 4.'],
    ])
    expect(second.lastMessage!.metadata!.branch).toBe(first.lastMessage!.metadata!.branch)
    // What was answered again is not in this tab's line, which ends with what the tab shows.
    await old.say('Four?')
    expect(textsOf(old.messages)).toEqual([
      ...['One?', 'Answer 1.', 'Two?', 'Answer 2.', 'Four?', 'Answer 5.'],
    ])
  })

  it('is told to load the chat again before it asks for another answer', async () => {
    const { tab, load } = await startInstances(backend, memoryStore())
    const first = tab()
    await first.say('One?')
    const second = tab('talk', first)
    await first.say('Two?')
    await second.regenerate()
    const advice =
      'This chat has gone on elsewhere, perhaps in another tab. Load it again before you ask for another answer.'
    // The server writes its errors as JSON, the handler as plain text.
    const message = backend === '/ui-chat' ? expect.stringContaining(advice) : advice
    expect([second.status, second.error?.message]).toEqual(['error', message])
    second.messages = await load()
    await second.regenerate()
    expect(textsOf(second.messages)).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 3.'])
  })
})
