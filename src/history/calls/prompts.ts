import type { Store, ThreadKey } from '../../stores/store.ts'
import { ConflictError, CorruptEntryError } from '../../stores/store-error.ts'
import { threadName } from '../log/read-log.ts'
import { untilKnown } from '../turn/until-known.ts'
import { hashOf } from './hash-of.ts'

/**
 * The thread that holds system prompts. They are no part of a conversation's threads, but a call must be able to show
 * the prompt it was sent with. A prompt that is used repeatedly is stored here once, and calls name it.
 */
export const promptActor = 'throughline:prompts'

/** Prompts with fewer characters are written out in every call. */
const shortest = 200

export interface Prompts {
  /** Stores a prompt when it is used the second time in a row; undefined if the call must hold the text itself. */
  nameOf(text: string): Promise<string | undefined>
}

const known = new WeakMap<object, Prompts>()

/** The prompts of a thread, remembered as long as its `ThreadLog`. */
export function promptsOf(log: object, ...options: Parameters<typeof createPrompts>): Prompts {
  const prompts = known.get(log) ?? createPrompts(...options)
  known.set(log, prompts)
  return prompts
}

function createPrompts(store: Store, key: ThreadKey, now: () => number): Prompts {
  const known = new Map<string, string>()
  let last: string | undefined
  return {
    async nameOf(text) {
      const isRepeated = text === last
      last = text
      if (text.length < shortest || known.has(text)) return known.get(text)
      // A prompt that changes from call to call (a clock, notes in it) is not worth storing.
      if (!isRepeated) return undefined
      const name = await savePrompt(store, promptThread(key), text, now())
      known.clear()
      known.set(text, name)
      return name
    },
  }
}

export async function loadPrompt(store: Store, key: ThreadKey, name: string): Promise<string> {
  const thread = promptThread(key)
  for await (const { id, payload } of store.entries(thread, { reverse: true }))
    if (id === name) return (JSON.parse(payload) as { message: { content: string } }).message.content
  throw new CorruptEntryError(threadName(thread), 0, `the system prompt ${name} is missing`)
}

/** The hash of a prompt is its id, so that several writers store it only once. */
async function savePrompt(store: Store, thread: ThreadKey, text: string, time: number): Promise<string> {
  // As JSON: encoded as UTF-8, half a surrogate pair would have the hash of its replacement character.
  const id = await hashOf(JSON.stringify(text))
  const payload = JSON.stringify({ message: { role: 'system', content: text } })
  for (let attempt = 1; ; attempt++) {
    const head = await store.head(thread)
    try {
      const entries = [{ id, role: 'system' as const, time, payload, tokens: {} }]
      const seed = { expectedHead: head?.head ?? 0, entries }
      await untilKnown(() => store.seed(thread, seed))
      return id
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt > 5) throw error
    }
  }
}

const promptThread = (key: ThreadKey): ThreadKey => ({ ...key, actor: promptActor, branch: 'main' })
