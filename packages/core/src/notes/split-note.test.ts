import { describe, expect, it } from 'vitest'
import { splitNote } from './note-scanner.ts'

describe('splitNote', () => {
  it('cuts the note out of a reply', () => {
    expect(
      splitNote("I've added the footer section.\n\n[NOTE TO SELF: I added the footer.]"),
    ).toEqual({
      visible: "I've added the footer section.",
      note: 'I added the footer.',
    })
  })

  it.each(['', 'Hello.', ' Hello. \n', 'a [b] c', '[NOTE: x]', 'NOTE TO SELF: x', '[NO', '[NOTE'])(
    'leaves %j, which has no block, unchanged',
    text => {
      expect(splitNote(text)).toEqual({ visible: text })
    },
  )

  it('takes the last of several blocks and cuts all of them', () => {
    expect(
      splitNote('A [NOTE TO SELF: one] B\n\n[NOTE TO SELF: two]\n[NOTE TO SELF: three]\n'),
    ).toEqual({
      visible: 'A B',
      note: 'three',
    })
  })

  it('does not cut a note in half at a bracket', () => {
    expect(splitNote('Done.\n[NOTE TO SELF: see items[0] and [[x]] in a.ts] Bye.')).toEqual({
      visible: 'Done.\nBye.',
      note: 'see items[0] and [[x]] in a.ts',
    })
  })

  it('shows nothing of a reply that is only a note', () => {
    expect(splitNote('[NOTE TO SELF: I added the footer.]')).toEqual({
      visible: '',
      note: 'I added the footer.',
    })
    expect(splitNote('\n [NOTE TO SELF: x]\n ')).toEqual({ visible: '', note: 'x' })
  })

  it('never shows a block that does not close, and keeps its text', () => {
    expect(splitNote('Done.\n\n[NOTE TO SELF: I added [the foo ')).toEqual({
      visible: 'Done.',
      note: 'I added [the foo',
    })
    expect(splitNote('Done. [NOTE TO SELF: a] [NOTE TO SELF:')).toEqual({
      visible: 'Done.',
      note: 'a',
    })
  })

  it('does not show a marker that breaks off once it says [NOTE TO', () => {
    expect(splitNote('Done.\n\n[NOTE TO SE')).toEqual({ visible: 'Done.' })
    expect(splitNote('Done.\n\n[NOTE TO')).toEqual({ visible: 'Done.' })
    expect(splitNote('Done.\n\n[NOTE')).toEqual({ visible: 'Done.\n\n[NOTE' })
  })

  it.each(['[NOTE TO SELF:]', '[NOTE TO SELF: \n ]'])('finds no note in %j', block => {
    expect(splitNote(`Done. ${block}`)).toEqual({ visible: 'Done.' })
    expect(splitNote(`Done. [NOTE TO SELF: a] ${block}`)).toEqual({ visible: 'Done.', note: 'a' })
  })

  it.each([
    '[Note to self: x]',
    '[note to self:x]',
    '[ NOTE TO SELF : x ]',
    '[NOTE\u00a0TO\tSELF:\nx]',
  ])('accepts %j', block => {
    expect(splitNote(`Done. ${block}`)).toEqual({ visible: 'Done.', note: 'x' })
  })

  it.each([
    '[NOTES TO SELF: x]',
    '[NOTE_TO_SELF: x]',
    '[NOTE-TO-SELF: x]',
    '[NOTE\u2011TO\u2011SELF: x]',
    '[NOTE  TO SELF: x]',
    '[NoteToSelf: x]',
    '[Note to Self - x]',
    '[NOTE TO MYSELF — x]',
    '[NOTE TO YOURSELF: x]',
    '[NOTE TO SELF： x]',
    '**[NOTE TO SELF: x]**',
    '***[Notes to self: x]***',
    '_[NOTE TO SELF: x]_',
    '`[NOTE_TO_SELF: x]`',
    '[**NOTE TO SELF:** x]',
    '[**NOTE TO SELF**: x]',
    '**[NOTE TO SELF: x]',
    '【NOTE TO SELF: x】',
    '［Note to self： x］',
    '**〔NOTES TO SELF: x〕**',
    '⟦**NOTE TO SELF:** x⟧',
  ])('cuts the near form %j whole', block => {
    expect(splitNote(`Done. ${block}`)).toEqual({ visible: 'Done.', note: 'x' })
    expect(splitNote(`${block}\n\nDone.`)).toEqual({ visible: 'Done.', note: 'x' })
    expect(splitNote(`**Do** ${block} it.`)).toEqual({ visible: '**Do** it.', note: 'x' })
  })

  it.each([
    '[NOTE TO SELF; x]',
    '(NOTE TO SELF: x)',
    '[Note to self-help readers: x]',
    '**[NOTE]**',
    '**[',
  ])('takes %j for ordinary text', text => expect(splitNote(text)).toEqual({ visible: text }))

  it('closes a block by the bracket that opened it', () => {
    expect(splitNote('A 【NOTE TO SELF: see [1] and 【2】, not ]】 B')).toEqual({
      visible: 'A B',
      note: 'see [1] and 【2】, not ]',
    })
    expect(splitNote('A [NOTE TO SELF: the 【 of a title] B')).toEqual({
      visible: 'A B',
      note: 'the 【 of a title',
    })
    expect(splitNote('A 【NOTE TO SELF: left open]')).toEqual({ visible: 'A', note: 'left open]' })
  })

  it('leaves bold type that is not the block’s own', () => {
    expect(splitNote('**Done. [NOTE TO SELF: x]**')).toEqual({ visible: '**Done.**', note: 'x' })
    expect(splitNote('**Done.**[NOTE TO SELF: x]')).toEqual({ visible: '**Done.**', note: 'x' })
    expect(splitNote('**Done.**\n**[NOTE TO SELF: x]**\n**Bye.**')).toEqual({
      visible: '**Done.**\n**Bye.**',
      note: 'x',
    })
  })

  it.each([
    ['A\n\n[NOTE TO SELF: x]\n\nB', 'A\n\nB'],
    ['A [NOTE TO SELF: x] B', 'A B'],
    ['A[NOTE TO SELF: x]B', 'AB'],
    ['A\n\n[NOTE TO SELF: x] B', 'A\n\nB'],
    ['A [NOTE TO SELF: x]\n\nB', 'A\n\nB'],
    ['A\n[NOTE TO SELF: x]\n    B', 'A\n    B'],
    ['A\n\n[NOTE TO SELF: x] [NOTE TO SELF: y]\nB', 'A\n\nB'],
    ['[NOTE TO SELF: x]\n\nB', 'B'],
    ['A [NOTE TO SELF: x] B \n', 'A B \n'],
    [`A${' '.repeat(20)}[NOTE TO SELF: x]`, 'A    '],
    [`A [NOTE TO SELF: x]${'\n'.repeat(20)}B`, `A${'\n'.repeat(16)}B`],
  ])('closes the gap in %j', (text, visible) => {
    expect(splitNote(text)).toEqual({ visible, note: text.includes('y]') ? 'y' : 'x' })
  })

  it('keeps only a note with its nonce, and cuts every other', () => {
    const text =
      'A [NOTE TO SELF: forged] B [NOTE TO SELF zzzz: forged]\n\n[NOTE TO SELF a1b2: mine]'
    expect(splitNote(text, { nonce: 'a1b2' })).toEqual({ visible: 'A B', note: 'mine' })
    expect(splitNote(`${text} [NOTE TO SELF A1B2: x]`, { nonce: 'a1b2' }).note).toBe('mine')
    expect(splitNote('C [NOTE TO SELF: x]', { nonce: 'a1b2' })).toEqual({ visible: 'C' })
    expect(splitNote('C [NOTE TO SELF a1b2: x]')).toEqual({ visible: 'C', note: 'x' })
  })

  it('bounds a note', () => {
    expect(splitNote(`[NOTE TO SELF: ${'x'.repeat(4000)}]`).note).toHaveLength(4000)
    const { note } = splitNote(`[NOTE TO SELF: ${'😀'.repeat(3000)}]`)
    expect(note).toBe(`${'😀'.repeat(1999)}…`)
  })
})
