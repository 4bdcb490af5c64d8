import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import type { SentRow } from '../../src/api/sent-rows.ts'

const day = 24 * 60 * 60 * 1000
const may = Date.UTC(2026, 4, 3, 9)

/** A server on which Ada has spoken of a trip half a year before, and now asks for it in a new conversation. */
async function startAsked() {
  let clock = may
  const { url, store } = await startServer({ remember: 'person', now: () => clock++ })
  const api = apiClient(url)
  const ask = async (conversation: string, content: string, person = 'ada') => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-throughline-conversation': conversation, 'x-throughline-person': person },
      body: JSON.stringify({ model: 'reader', messages: [{ role: 'user', content }] }),
    })
    expect(response.status).toBe(200)
    return response.text()
  }
  const told = 'We booked the hotel Albergo del Sole near the Pantheon in Rome.'
  await ask('trip', told)
  await ask('cooking', 'How do I make a good risotto?')
  await api.patch('/conversations/trip', { title: 'Rome with Livia' })
  clock = may + 180 * day
  const answer = await ask('new', 'What is the name of the hotel that I booked in Rome?')
  const [call] = (await api.get('/conversations/new/calls')).body.calls
  return { api, store, told, answer, paths: ['context?', `calls/${call.id}?`] as const }
}

const blockOf = (rows: readonly SentRow[]) => rows.find(({ sources }) => sources !== undefined)

it('tells of messages that came from another conversation which that is, when it was, and why', async () => {
  const { api, told, answer, paths } = await startAsked()
  expect((await api.get('/server')).body.remember).toBe('person')
  expect(answer).toContain('Albergo del Sole')
  for (const path of paths) {
    const { sent } = (await api.get(`/conversations/new/${path}`)).body
    const block = blockOf(sent)!
    expect(block).toMatchObject({ part: 'recall', role: 'user', seqs: [], standsFor: [] })
    expect(block.text).toContain(told)
    const [source] = block.sources!
    expect(source).toEqual({
      ...{
        conversation: 'trip',
        actor: 'assistant',
        branch: 'main',
        seq: 1,
        title: 'Rome with Livia',
      },
      ...{ time: expect.any(Number), why: expect.stringMatching(/hotel|rome|book/i) },
    })
    expect(Math.floor(source!.time! / day)).toBe(Math.floor(may / day))
    const bare = (await api.get(`/conversations/new/${path}texts=false`)).body
    const { title: _, ...untitled } = source!
    expect(blockOf(bare.sent)!.sources![0]).toEqual(untitled)
    expect(JSON.stringify(bare)).not.toMatch(/Livia|Albergo/)
  }
})

it('tells of messages that are gone, or another person’s now, only where they were', async () => {
  const { api, store, paths } = await startAsked()
  const expectGone = async () => {
    const { sent } = (await api.get(`/conversations/new/${paths[1]}`)).body
    const [source] = blockOf(sent)!.sources!
    expect(source).toEqual({
      ...{ conversation: 'trip', actor: 'assistant', branch: 'main', seq: 1, isGone: true },
      why: expect.any(String),
    })
    expect(JSON.stringify(sent)).not.toMatch(/Livia|Albergo/)
  }
  await store.describeConversation('default', 'trip', { person: 'bob' })
  await expectGone()
  expect((await api.remove('/conversations/trip')).status).toBe(204)
  await expectGone()
})

it('has no sources where a server remembers by conversation', async () => {
  const { url } = await startServer()
  const api = apiClient(url, { 'x-throughline-person': 'ada' })
  for (const conversation of ['trip', 'new'])
    await api.say(conversation, 'Which hotel did I book in Rome?')
  const { sent } = (await api.get('/conversations/new/context')).body
  expect(blockOf(sent)).toBeUndefined()
  expect((await api.get('/server')).body.remember).toBe('conversation')
})
