import {
  expectHidden,
  inChat,
  newHistory,
  partsOf,
  shownIn,
} from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import type { ChatOptions } from '../src/index.ts'
import { calling, saying, scriptedChat } from './scripted-chat.ts'

const note = 'the footer is in a.html'
const noted = (text: string, marker = 'NOTE TO SELF') => `${text}\n\n[${marker}: ${note}]`

/** A chat that goes on with other options in a conversation whose first reply ended with a note. */
async function switched(notes: ChatOptions['notes'], text = noted('Second.'), nonce?: string) {
  const history = newHistory()
  const first = noted('First.', nonce ? `NOTE TO SELF ${nonce}` : undefined)
  const before = await scriptedChat([saying(first)], { history, notes: nonce ? { nonce } : true })
  await before.chat.send('Begin.', inChat).result()
  return scriptedChat([saying(text)], { history, ...(notes !== undefined && { notes }) })
}

describe('in a conversation with notes', () => {
  it.each([
    ['off', false],
    ['not named', undefined],
    ['by tool', { by: 'tool' }],
    ['by tool, inline', { by: 'tool', place: 'inline' }],
    ['with a nonce', { nonce: 'a1b2' }],
  ] as const)(
    'what looks like a note is not shown where it goes on with notes %s',
    async (_, notes) => {
      const { chat, thread } = await switched(notes)
      const { result } = await expectHidden(chat, thread)
      expect(result.text).toBe('Second.')
      const isKept = typeof notes !== 'object' || !('nonce' in notes)
      expect(await thread.notes()).toEqual(isKept ? [note, note] : [note])
    },
  )

  it('a model that is not asked for notes gets them in a section, so that it sees no form to copy', async () => {
    const { chat, sent } = await switched(false)
    await chat.send('Go on.', inChat).result()
    const { messages } = sent()[0]!
    expect(messages[0]).toEqual({ role: 'system', content: `RECENT NOTES TO SELF:\n${note}` })
    expect(JSON.stringify(messages)).not.toContain('[NOTE TO SELF')
  })

  it('a note with a nonce that is no longer known is hidden', async () => {
    const { chat, thread } = await switched(false, noted('Done.', 'NOTE TO SELF a1b2'), 'a1b2')
    expect((await expectHidden(chat, thread)).result.text).toBe('Done.')
  })

  it('which a client sends in full, the copy of a note is hidden too', async () => {
    const { chat } = await scriptedChat([saying(noted('Second.'))])
    const turn = chat.respond([
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: 'First.' },
      { role: 'assistant_note', content: note },
      { role: 'user', content: 'Go on.' },
    ])
    expect(shownIn(await partsOf(turn))).toBe('Second.')
    expect(turn.messages).toEqual([
      { role: 'assistant', content: 'Second.' },
      { role: 'assistant_note', content: note },
    ])
  })
})

it('without notes in the conversation, what looks like one is ordinary text', async () => {
  const { chat, thread } = await scriptedChat([saying(noted('Second.'))])
  expect((await chat.send('Begin.', inChat).result()).text).toBe(noted('Second.'))
  expect(await thread.notes()).toEqual([])
})

describe('notes by a tool', () => {
  it('are asked for in the system prompt, which names the tool', async () => {
    const { chat, sent } = await scriptedChat([], {
      notes: { by: 'tool' },
      system: 'You edit sites.',
    })
    await chat.send('Begin.', inChat).result()
    expect(sent()[0]!.messages[0]!.content).toMatch(
      /^You edit sites\.\n\nBefore you end your turn, call the tool write_note_to_self /,
    )
    expect(sent()[0]!.messages[0]!.content).not.toContain('[NOTE TO SELF')
  })

  it('are asked for in the words of the application, if it has some', async () => {
    const { chat, sent } = await scriptedChat([], {
      notes: { by: 'tool', instruction: 'Write a note.' },
    })
    await chat.send('Begin.', inChat).result()
    expect(sent()[0]!.messages[0]!.content).toBe('Write a note.')
  })

  it('go on with a block in the reply: the last note is kept', async () => {
    const { chat, thread } = await scriptedChat(
      [calling(['write_note_to_self', { note: 'by tool' }]), saying(noted('Done.'))],
      { notes: { by: 'tool' } },
    )
    await expectHidden(chat, thread)
    expect(await thread.notes()).toEqual([note])
  })
})

it('keeps so many notes in the section, the newest, and no more than its budget', async () => {
  const history = newHistory()
  const turns = Array.from({ length: 12 }, (_, at) => [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'Done.' },
    { role: 'assistant_note', content: `fact ${at + 1}` },
  ])
  await history.thread('chat').seed(...turns.flat())
  for (const [options, first] of [
    [{ keep: 10 }, 3],
    [{ keep: 3 }, 10],
    [{ keep: 10, budget: 20 }, 12],
    [{}, 1],
  ] as const) {
    const { chat } = await scriptedChat([], { history, notes: { place: 'system', ...options } })
    const [system] = (await chat.context(inChat)).messages
    const facts = [...String(system!.content).matchAll(/fact (\d+)/g)].map(found =>
      Number(found[1]),
    )
    expect(facts, JSON.stringify(options)).toEqual(
      Array.from({ length: 13 - first }, (_, at) => first + at),
    )
  }
})
