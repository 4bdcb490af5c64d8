import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sliding, stable } from 'throughline'
import {
  type ChatNotes,
  type ChatOptions,
  type ChatPart,
  createChat,
  type SendOptions,
} from 'throughline/chat'
import { reader } from 'throughline/models'
import { describe, expect, it } from 'vitest'
import { inChat, newHistory, partsOf } from './help.ts'

describe('the settings of a history', () => {
  const receiptIn = (parts: readonly ChatPart[]) => parts.find(part => part.type === 'context')!.receipt

  it('hold for a chat on it that names none of its own', async () => {
    const chat = createChat({ history: newHistory({ window: 700, reserve: 50 }), model: reader() })
    expect(receiptIn(await partsOf(chat.send('Hello.', inChat)))).toMatchObject({ window: 700, reserve: 50 })
  })

  it('are those of the model where neither names one', async () => {
    const chat = createChat({ history: newHistory(), model: reader({ window: 1024 }) })
    expect(receiptIn(await partsOf(chat.send('Hello.', inChat)))).toMatchObject({
      window: 1024,
      reserve: 128,
    })
  })

  it('may be named twice, but not in two ways', () => {
    const policy = stable()
    const same = { window: 700, reserve: 50, policy }
    expect(() => createChat({ history: newHistory(same), model: reader(), ...same })).not.toThrow()
    for (const [option, other] of Object.entries({ window: 800, reserve: 60, policy: sliding() }))
      expect(() => createChat({ history: newHistory(same), model: reader(), [option]: other })).toThrow(
        expect.objectContaining({ code: 'invalid_option', option }),
      )
  })
})

describe('the tables of options in docs/chat.md', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../docs/chat.md'), 'utf8')
  /** The names in the first column of the table that begins with this title. */
  function namesIn(title: string): readonly string[] {
    const [, rows = ''] = docs.split(`| ${title} | default | meaning |\n|---|---|---|\n`)
    const table = rows.split('\n\n', 1)[0]!.split('\n')
    return table.flatMap(row => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)).sort()
  }

  // The compiler sees to it that these are all of them.
  const chat: Record<keyof ChatOptions, true> = {
    model: true,
    history: true,
    system: true,
    tools: true,
    notes: true,
    cancelledTurn: true,
    state: true,
    policy: true,
    pins: true,
    shape: true,
    window: true,
    reserve: true,
    settings: true,
    maxRounds: true,
    retries: true,
    backoffMs: true,
    stallMs: true,
    toolTimeoutMs: true,
    maxResultTokens: true,
    count: true,
  }
  const notes: Record<keyof ChatNotes, true> = { by: true, instruction: true, nonce: true, place: true }
  const send: Record<keyof SendOptions, true> = {
    conversation: true,
    actor: true,
    branch: true,
    key: true,
    signal: true,
    projectId: true,
    data: true,
  }

  it.each([
    ['`createChat`', chat],
    ['`notes`', notes],
    ['`send`', send],
  ])('%s has every option', (title, options) => {
    expect(namesIn(title)).toEqual(Object.keys(options).sort())
  })
})
