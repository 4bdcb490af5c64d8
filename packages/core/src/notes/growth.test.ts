import { growth, notLinear } from '@throughline/test-tools/growth'
import { expect, it } from 'vitest'
import { neutralizeNotes } from './neutralize.ts'
import { readNoteCall } from './note-instruction.ts'
import { createNoteScanner, splitNote } from './note-scanner.ts'
import { shownArguments } from './shown-arguments.ts'
import { toDisplay } from './to-display.ts'

const call = (json: string) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c', function: { name: 'edit', arguments: json } }],
})

/** Whatever a text is made of, reading it twice as long takes twice the time. */
const texts: Readonly<Record<string, (size: number) => string>> = {
  'quotes in arguments that break off': size => `{"note":"${'\\"'.repeat(size)}`,
  'quotes without an escape': size => `{"note":${'"'.repeat(size)}`,
  'literals that break off': size => `{"note":[${'"a",'.repeat(size)}`,
  'notes in arguments that break off': size =>
    `{"note":"${'[NOTE TO SELF: \\"a\\"] '.repeat(size / 8)}`,
  'escapes that are escaped': size => `{"note":"${'\\u005cu005cu005cu0022'.repeat(size / 8)}"}`,
  'notes in literals': size => JSON.stringify(Array(size >> 3).fill('a [NOTE TO SELF: b] c')),
  'notes in a row': size => 'a [NOTE TO SELF: b] \n'.repeat(size / 8),
  'beginnings of notes': size => '[NOTE TO '.repeat(size / 4),
  'signs of bold type': size => '***_`'.repeat(size / 4),
  'bold beginnings of notes': size => '**[**NOTES__TO--YOURSELF abc123**'.repeat(size / 16),
  'a note that never closes': size => `[NOTE TO SELF: ${'['.repeat(size)}`,
  'white space': size => `[NOTE TO SELF: a]${' \n'.repeat(size)}b`,
  'white space in arguments': size => `{"note"${' '.repeat(size)}`,
  backslashes: size => `{"note": "${'\\'.repeat(size)}`,
  'accents between letters': size => `[${'n\u0301\u0301\u0301\u0301'.repeat(size / 4)}ote`,
}

for (const [what, make] of Object.entries(texts))
  it(`reads ${what} in linear time`, () => {
    const works: Readonly<Record<string, (text: string) => unknown>> = {
      toDisplay: text =>
        toDisplay([call(text), { role: 'tool', tool_call_id: 'c', content: text }]),
      shownArguments: text => shownArguments(text),
      splitNote: text => splitNote(text),
      neutralizeNotes,
      readNoteCall: text => readNoteCall({ name: 'write_note_to_self', arguments: text }),
    }
    for (const [name, work] of Object.entries(works))
      expect(growth(make, work, { size: 8_000 }), name).toBeLessThan(notLinear)
  })

it('reads a reply that comes letter by letter in linear time', () => {
  const read = (text: string) => {
    const scanner = createNoteScanner()
    for (const letter of text) scanner.push(letter)
    return scanner.end()
  }
  for (const what of [
    'notes in a row',
    'white space',
    'beginnings of notes',
    'a note that never closes',
  ])
    expect(growth(texts[what]!, read, { size: 2_000 }), what).toBeLessThan(notLinear)
})

it('shows many messages, calls and results in linear time', () => {
  const many = (size: number) => Array.from({ length: size }, (_, at) => at)
  const input = { text: 'a [NOTE TO SELF: b]' }
  const chats: Readonly<Record<string, (size: number) => { role: string; content: unknown }[]>> = {
    'notes after one reply': size =>
      many(size).map(() => ({ role: 'assistant_note', content: 'n' })),
    'calls in one message, results in another': size => [
      {
        role: 'assistant',
        content: many(size).map(at => ({
          type: 'tool-call',
          toolCallId: `c${at}`,
          toolName: at % 3 ? 'edit' : 'write_note_to_self',
          input,
        })),
      },
      {
        role: 'tool',
        content: many(size)
          .reverse()
          .map(at => ({
            type: 'tool-result',
            toolCallId: `c${at}`,
            output: { type: 'text', value: 'b' },
          })),
      },
    ],
  }
  for (const [what, make] of Object.entries(chats))
    expect(
      growth(make, chat => toDisplay(chat), { size: 500 }),
      what,
    ).toBeLessThan(notLinear)
})
