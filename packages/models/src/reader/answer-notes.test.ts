import { noteInstruction, noteTool, splitNote } from '@throughline/core/notes'
import { result, system, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { answer } from './answer.ts'

const tools = [noteTool.function]

describe('when the instructions ask for notes', () => {
  it('the reply ends with one, which is cut out as any other', () => {
    const { text } = answer([system(noteInstruction()), user('I park on level 3.')])
    expect(text).toBe(
      'Noted: "I park on level 3".\n\n[NOTE TO SELF: I park on level 3. → Noted: "I park on level 3".]',
    )
    expect(splitNote(text).visible).toBe('Noted: "I park on level 3".')
  })

  it('uses their nonce', () => {
    const { text } = answer([
      system(noteInstruction({ nonce: 'a1b2' })),
      user('I park on level 3.'),
    ])
    expect(splitNote(text, { nonce: 'a1b2' }).note).toBe(
      'I park on level 3. → Noted: "I park on level 3".',
    )
  })

  it('keeps the note short and its brackets whole', () => {
    const { text } = answer([system(noteInstruction()), user(`[x ${'long '.repeat(50)}`)])
    const { visible, note } = splitNote(text)
    expect(visible).toMatch(/^Noted: /)
    expect(note!.length).toBeLessThanOrEqual(123)
    expect(note).not.toMatch(/[[\]]/)
  })

  it('writes none when they do not', () => {
    expect(answer([system('Be kind.'), user('I park on level 3.')]).text).toBe(
      'Noted: "I park on level 3".',
    )
  })
})

describe('when notes are written by tool', () => {
  const asked = [
    system('Use write_note_to_self before you end your turn.'),
    user('I park on level 3.'),
  ]

  it('calls it once, then replies', () => {
    const { text, calls } = answer(asked, tools)
    expect(text).toBe('')
    expect(calls).toEqual([
      {
        name: 'write_note_to_self',
        arguments: JSON.stringify({ note: 'I park on level 3. → Noted: "I park on level 3".' }),
      },
    ])
    const made = {
      function: { name: 'write_note_to_self', arguments: JSON.parse(calls[0]!.arguments) },
    }
    const written = [
      ...asked,
      { role: 'assistant', content: '', tool_calls: [made] },
      result('write_note_to_self', 'ok'),
    ]
    expect(answer(written, tools)).toEqual({ text: 'Noted: "I park on level 3".', calls: [] })
  })

  it('takes the offer of the tool as being asked, unless blocks are asked for', () => {
    expect(answer([user('I park on level 3.')], tools).calls).toHaveLength(1)
    expect(answer([system(noteInstruction()), user('I park.')], tools).text).toContain(
      '[NOTE TO SELF:',
    )
  })
})
