import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addedTexts } from '../src/context/added-texts.fixture.ts'
import {
  defaultPolicy,
  type FitOptions,
  fit,
  type MessageLike,
  type SentMessage,
  sliding,
  spongebob,
  tiered,
} from '../src/index.ts'
import { o200k } from '../src/tokens/o200k.ts'

/**
 * Committed conversations and the contexts that they become. A change here is a change of what models see:
 * run with UPDATE_GOLDEN=1, read the difference, and say in CHANGELOG.md why it is better.
 */
const folder = join(import.meta.dirname, 'golden')
const chats = [
  ...readdirSync(folder).filter(name => name.endsWith('.chat.json')),
  '../../../../examples/project-chat.json',
]

const count = o200k()
const settings: Readonly<Record<string, FitOptions>> = {
  'spongebob-1000': { window: 1000, policy: spongebob(), count, overflow: 'trim' },
  'sliding-1100': { window: 1100, policy: sliding({ messages: 8 }), overflow: 'trim' },
  'tiered-1500-alternating': {
    window: 1500,
    reserve: 200,
    policy: tiered(),
    count,
    shape: 'alternating',
    overflow: 'trim',
  },
  'default-4096': { window: 4096, reserve: 512, policy: defaultPolicy, pins: ['TODAY: Monday'] },
}

/** The notes of the notes section, each with the place of the first sent message that was written later. */
function gatheredNotes(chat: readonly MessageLike[], sent: readonly SentMessage[]) {
  const section = sent
    .flatMap(one => [one, ...(one.joined ?? [])])
    .find(({ part }) => part === 'notes')
  return (section?.standsFor ?? []).map(seq => {
    const before = sent.findIndex(({ part, seqs: [first = 0] }) => part !== 'system' && first > seq)
    return { seq, before: before < 0 ? sent.length : before, text: chat[seq]!.content }
  })
}

describe.each(chats)('%s', name => {
  const read = () => JSON.parse(readFileSync(join(folder, name), 'utf8')) as MessageLike[]

  it.each(Object.keys(settings))('%s', setting => {
    const { messages, tokens, receipt } = fit(read(), settings[setting]!)
    const { entries, stretches: _, sent, faults, cut, prefix, counts, ...figures } = receipt
    const told = { faults, ...(cut && { cut }), ...(prefix && { prefix }), counts }
    const totals = {
      ...figures,
      inserted: addedTexts(receipt),
      notes: gatheredNotes(read(), sent),
      ...told,
    }
    const fates = entries.map(({ seq, fate, rule, why }) => `${seq} ${fate} (${rule}: ${why})`)
    const text = `${JSON.stringify({ tokens, totals, messages, fates }, null, 1)}\n`
    const file = join(
      folder,
      `${name.replace(/^.*\/|(\.chat)?\.json$/g, '')}.${setting}.context.json`,
    )
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, text)
    // A file that is missing fails here: a new one is written, and read, on purpose.
    expect(text).toBe(readFileSync(file, 'utf8'))
    const again = fit(read(), settings[setting]!)
    expect(JSON.stringify(again.messages)).toBe(JSON.stringify(messages))
  })
})
