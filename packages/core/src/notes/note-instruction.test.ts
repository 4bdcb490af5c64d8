import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noteInstruction, noteTool, readNoteCall } from './note-instruction.ts'
import { splitNote } from './note-scanner.ts'

describe('noteInstruction', () => {
  it('shows the form of a note, and is short', () => {
    expect(noteInstruction()).toContain('\n[NOTE TO SELF: what you did and what matters next]\n')
    const words = noteInstruction().split(/\s+/).length
    expect(words).toBeGreaterThanOrEqual(60)
    expect(words).toBeLessThanOrEqual(90)
  })

  it('shows the nonce where the reader expects it', () => {
    const instruction = noteInstruction({ nonce: 'a1b2' })
    expect(instruction).toContain('[NOTE TO SELF a1b2: ')
    expect(splitNote(instruction, { nonce: 'a1b2' }).note).toBe(
      'what you did and what matters next',
    )
    expect(() => noteInstruction({ nonce: 'a b' })).toThrow('nonce')
  })
})

describe('noteTool', () => {
  it('is write_note_to_self(note)', () => {
    expect(noteTool).toMatchObject({
      type: 'function',
      function: {
        name: 'write_note_to_self',
        parameters: {
          type: 'object',
          properties: { note: { type: 'string' } },
          required: ['note'],
        },
      },
    })
  })
})

describe('readNoteCall', () => {
  const read = (json: string) => readNoteCall({ name: 'write_note_to_self', arguments: json })

  it.each([
    ['{"note":"I added the footer."}', 'I added the footer.'],
    ['{"note":" a \\n"}', 'a'],
    ['"I added the footer."', 'I added the footer.'],
    ['"{\\"note\\":\\"twice encoded\\"}"', 'twice encoded'],
    ['I added the footer.', 'I added the footer.'],
    ['{"note": "line one\nline two"}', 'line one\nline two'],
    ['{"note": "I added the', 'I added the'],
    ["{'note': 'single'}", 'single'],
    ['{note: bare}', 'bare'],
    ['{"note": "say \\"hi\\"\n\\nnow"', 'say "hi"\n\nnow'],
  ])('reads %j', (json, note) => expect(read(json)).toBe(note))

  it.each([
    '',
    '{}',
    '{"note":""}',
    '{"note":1}',
    '{"note":null}',
    '{"text":"x"}',
    '[]',
    'null',
    '1',
    '{"text": "x',
  ])('finds nothing in %j', json => expect(read(json)).toBeUndefined())

  it('reads no other tool', () => {
    expect(readNoteCall({ name: 'write', arguments: '{"note":"x"}' })).toBeUndefined()
  })

  it('bounds the note, in good JSON and in bad', () => {
    expect(read(JSON.stringify({ note: 'x'.repeat(1e6) }))).toHaveLength(4000)
    expect(read(`{"note": "${'x'.repeat(1e6)}`)).toHaveLength(4000)
    expect(read(`{"note": "${' "}'.repeat(1e5)}x`)?.length).toBeLessThanOrEqual(4000)
    expect(read(`{"note": "${' '.repeat(1e6)}x${' '.repeat(1e6)}`)).toBe('x')
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map(text => `{"note":${text}`),
        ),
        json => {
          expect(() => read(json)).not.toThrow()
        },
      ),
    )
  })
})
