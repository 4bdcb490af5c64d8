import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Chat, ChatPart, Reply } from '@throughline/chat'
import { fit, parseMessage } from '@throughline/core'
import { assertContext, assertRounds } from '@throughline/core/testing'
import { createHistory, type History, type HistoryOptions } from '@throughline/history'
import { type Model, ollama, openaiCompatible } from '@throughline/models'
import { type ReaderServerOptions, readerServer } from '@throughline/server/reader/reader-server'
import { memoryStore } from '@throughline/stores'
import { expect } from 'vitest'

type Thread = ReturnType<History['thread']>

/** A request to the upstream, as its client sent it. */
export interface SentBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools?: readonly unknown[]
  readonly options?: { readonly num_ctx?: number }
}

/** The reader behind a real port. */
export async function serveReader(options: ReaderServerOptions = {}) {
  const bodies: SentBody[] = []
  const fetch = readerServer({
    ...options,
    onRequest: (body, seen) => {
      if (/chat/.test(seen.path)) bodies.push(body as SentBody)
      options.onRequest?.(body, seen)
    },
  })
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    /** What was asked of its models, in order. */
    bodies,
    ollama: (): Model => ollama({ model: 'reader', host }),
    openai: (window = options.window ?? 4096): Model =>
      openaiCompatible({ baseURL: `${host}/v1`, model: 'reader', window }),
    async close() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

/** The one conversation of most tests. */
export const inChat = { conversation: 'chat' } as const

export const newHistory = (options: Partial<HistoryOptions> = {}): History =>
  createHistory({ store: memoryStore(), ...options })

export async function partsOf(reply: Reply): Promise<readonly ChatPart[]> {
  const parts: ChatPart[] = []
  for await (const part of reply) parts.push(part)
  return parts
}

/** The kinds of parts, those in a row once, contexts left out. */
export function kindsOf(parts: readonly ChatPart[]): readonly string[] {
  const kinds = parts.map(({ type }) => type).filter(type => type !== 'context')
  return kinds.filter((type, at) => type !== kinds[at - 1])
}

export const shownIn = (parts: readonly ChatPart[]): string =>
  parts.map(part => (part.type === 'text-delta' ? part.text : '')).join('')

export function warningsIn(parts: readonly ChatPart[]): readonly string[] {
  return parts.flatMap(part => (part.type === 'warning' ? [part.code] : []))
}

export function errorIn(
  parts: readonly ChatPart[],
): (Error & { readonly code?: string }) | undefined {
  return parts.flatMap(part => (part.type === 'error' ? [part.error] : []))[0]
}

export const statusesOf = async (thread: Thread): Promise<readonly string[]> =>
  (await thread.turns()).map(({ status }) => status)

/** The log is a valid sequence, and so is the next context that is made of it. */
export async function expectValid(thread: Thread): Promise<void> {
  const messages = await thread.messages()
  const log = messages.map(parseMessage)
  assertRounds(log)
  const spoken = log.filter(({ role }) => role !== 'assistant_note')
  for (const [at, { role }] of spoken.entries())
    if (role !== 'tool') expect(spoken[at - 1]?.role, `two of ${role} in a row`).not.toBe(role)
  // An answer that ends a list is never cut: only a context for a next message may leave it out.
  const options = { window: 4096, overflow: 'trim' as const }
  const asking = [...messages, { role: 'user', content: 'And now?' }]
  assertContext(asking, options, fit(asking, options))
  assertRounds(
    (await thread.context({ window: 16_384, overflow: 'trim' })).messages.map(parseMessage),
  )
}

/** Checks that the next turn works. */
export async function expectGoesOn(send: (text: string) => Reply, thread: Thread): Promise<void> {
  await expectValid(thread)
  const { status } = await send('And now?').result()
  expect(status).toBe('completed')
  await expectValid(thread)
}

/** All texts in which notes must not show: parts for the user, the result, the view for display. */
export async function expectHidden(chat: Chat, thread: Thread, secret = /NOTE|SELF|a\.html/) {
  const turn = chat.send('Add a footer.', inChat)
  const parts = await partsOf(turn)
  const result = await turn.result()
  const shown = parts.filter(part => part.type !== 'note' && part.type !== 'context')
  expect(JSON.stringify(shown)).not.toMatch(secret)
  expect(result.text).not.toMatch(secret)
  expect(shownIn(parts)).toBe(result.text)
  expect(JSON.stringify(await thread.display())).not.toMatch(secret)
  return { parts, result }
}
