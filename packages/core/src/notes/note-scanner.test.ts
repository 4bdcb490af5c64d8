import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNoteScanner, splitNote } from './note-scanner.ts'

/** Pushes the chunks; returns the text shown after each and after the end, and the note. */
function scan(chunks: readonly string[], options: { nonce?: string } = {}) {
  const scanner = createNoteScanner(options)
  const shown: string[] = []
  let visible = ''
  for (const chunk of chunks) {
    visible += scanner.push(chunk)
    shown.push(visible)
  }
  const { visible: rest, ...note } = scanner.end()
  return { shown, result: { ...note, visible: visible + rest } }
}

const slices = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )

/** `§` stands only in notes: a shown `§` is a leak. */
const replies: readonly [text: string, options?: { nonce: string }][] = [
  ["I've added the footer section.\n\n[NOTE TO SELF: § I added the footer.]"],
  ['[NOTE TO SELF: § only a note]'],
  [
    'Look at items[0] and [NOTE: this].\n[note to self: § items[0] = [1, [2]] §]\n\nAnd [NOTE TO others].',
  ],
  [
    'One [NOTE TO SELF: § a] two\n\n[Note to Self: § b]\n\n\n[NOTE TO SELF:] three   [NOTE TO SELF: §',
  ],
  [`Far${' '.repeat(40)}\n[NOTE TO SELF: § x]${'\n'.repeat(40)}away [N`],
  ['[[NOTE TO SELF: § nested]] [NO[NOTE TO SELF: §] [NOTE TO SEL'],
  ['😀[ note\tto\nself : § 😀]😀 [NOTE TO SELFIE: no note]'],
  [
    'Old [NOTE TO SELF: § forged] [NOTE TO SELF a1b2: § real] [NOTE TO SELF A1B2: § other]',
    { nonce: 'a1b2' },
  ],
  [
    '**Done.**\n\n**[NOTES TO SELF: § bold]** ***[NOTE_TO_SELF: §]*** _[Note-to-self - §]_ `[NoteToSelf: §]` **[NOTE',
  ],
  [
    '****[NOTE TO SELF: §]** **[**NOTE TO SELF a1b2:** § [x]]**** **Bye.**[NOTE TO MYSELF：§]** and [NOTE TO SELF',
  ],
]

describe.each(replies)('createNoteScanner on %j', (text, options = undefined) => {
  const whole = splitNote(text, options)

  it.each([1, 2, 3, 4, 5, 6, 7])('gives the same for chunks of %i', size => {
    for (let first = 0; first < size; first++) {
      const { shown, result } = scan(
        [text.slice(0, first), ...slices(text.slice(first), size)],
        options,
      )
      expect(result).toEqual(whole)
      expect(shown.join('')).not.toContain('§')
    }
  })

  it('never takes back what it has shown, and shows nothing of a note wherever the stream breaks', () => {
    for (let length = 0; length <= text.length; length++) {
      const { shown, result } = scan(slices(text.slice(0, length), 1), options)
      expect(result).toEqual(splitNote(text.slice(0, length), options))
      expect(result.visible).not.toContain('§')
      for (const visible of shown) expect(whole.visible.startsWith(visible)).toBe(true)
    }
  })
})

describe('createNoteScanner on any reply', () => {
  const piece = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        '[NOTE TO SELF:',
        '[Note to self: §',
        ' §]',
        ']',
        '[',
        '\n\n',
        ' ',
        '**',
        '*',
      ),
    },
    fc.constantFrom(
      '[NO',
      'TE TO',
      ' SELF:',
      '[NOTE TO SELF',
      'a1b2:',
      ' '.repeat(30),
      '\t',
      'word',
      '😀',
    ),
    fc.constantFrom(
      '[NOTES',
      '[NOTE_',
      'to-',
      'MYSELF',
      ' - ',
      '_SELF',
      '`',
      '___',
      '[**note to self',
      '：',
    ),
    fc.string({ maxLength: 8 }),
  )
  const reply = fc.array(piece, { maxLength: 20 }).map(pieces => pieces.join(''))
  const cuts = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 30 })
  const options = fc.constantFrom({}, { nonce: 'a1b2' })

  function split(text: string, sizes: readonly number[]): string[] {
    const chunks: string[] = []
    let at = 0
    for (const size of sizes) {
      chunks.push(text.slice(at, at + size))
      at += size
    }
    return [...chunks, text.slice(at)]
  }

  it('does not depend on where the chunks are cut', () => {
    fc.assert(
      fc.property(reply, cuts, options, (text, sizes, given) => {
        const chunks = split(text, sizes)
        const { shown, result } = scan(chunks, given)
        expect(result).toEqual(splitNote(text, given))
        for (const [index, visible] of shown.entries()) {
          expect(result.visible.startsWith(visible)).toBe(true)
          // White space, signs of bold type and a possible marker may be held back.
          const known = splitNote(chunks.slice(0, index + 1).join(''), given).visible
          expect(known.length - visible.length).toBeLessThan(16 + 3 + 64)
        }
      }),
      { numRuns: process.env.THROUGHLINE_LONG ? 10_000 : 300 },
    )
  })

  it('holds back no more than white space, three signs and the beginning of a marker', () => {
    const pieces = [
      '[',
      'NOTE TO SELF',
      ' ',
      '\n\n\n',
      'no',
      '[NO',
      '[N',
      ']',
      'x:',
      '**',
      '_',
      '****',
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 })
    fc.assert(
      fc.property(text, cuts, (pieces, sizes) => {
        const plain = pieces.join('')
        const { shown } = scan(split(plain, sizes))
        fc.pre(splitNote(plain).visible === plain)
        let read = ''
        for (const [index, chunk] of split(plain, sizes).entries()) {
          read += chunk
          const held = read.slice(shown[index]!.length)
          expect(read).toBe(shown[index] + held)
          expect(held).toMatch(/^\s{0,16}[*_]{0,3}(?:\[[\s*_]{0,4}(?:N.{0,60})?)?$/is)
        }
      }),
      { numRuns: process.env.THROUGHLINE_LONG ? 10_000 : 300 },
    )
  })

  it('shows nothing of a near form, in whichever two pieces it comes', () => {
    const name = fc
      .constantFrom('NOTE', 'Notes', 'note')
      .chain(one =>
        fc.constantFrom(' ', '_', '-', '\u2013', '').map(gap => [one, 'to', 'self'].join(gap)),
      )
    const bold = fc.constantFrom('', '*', '**', '***', '_', '__', '`')
    const pair = fc.constantFrom('[]', '【】', '［］')
    const form = fc.record({
      name,
      bold,
      inner: bold,
      pair,
      nonce: fc.constantFrom('', ' a1b2', ' z'),
    })
    const colon = fc.constantFrom(':', ' :', '：', ' -', ' —')
    fc.assert(
      fc.property(
        form,
        colon,
        options,
        ({ name, bold, inner, pair: [open, close], nonce }, end, given) => {
          const text = `**Done.** ${bold}${open}${inner}${name}${nonce}${inner}${end} § items[0] §${close}${bold} Bye.`
          const whole = splitNote(text, given)
          expect(whole.visible).toBe('**Done.** Bye.')
          for (let at = 0; at <= text.length; at++) {
            const { shown, result } = scan([text.slice(0, at), text.slice(at)], given)
            expect(result).toEqual(whole)
            expect(shown[0]).not.toMatch(/§|SELF|[[【［]/i)
          }
        },
      ),
      { numRuns: process.env.THROUGHLINE_LONG ? 3_000 : 100 },
    )
  })

  it('leaves a text without a marker as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), cuts, (text, sizes) => {
        expect(scan(split(text, sizes)).result).toEqual({ visible: text })
      }),
    )
  })
})

describe('createNoteScanner', () => {
  it('shows at once what cannot be a marker', () => {
    const scanner = createNoteScanner()
    expect(scanner.push('See [1]')).toBe('See [1]')
    expect(scanner.push(' [NO')).toBe('')
    expect(scanner.push('PE')).toBe(' [NOPE')
    expect(scanner.push('  x')).toBe('  x')
  })

  it('keeps the note of a stream that broke', () => {
    const scanner = createNoteScanner()
    expect(scanner.push("I've added the footer section.\n\n[NOTE TO SELF: I added the foo")).toBe(
      "I've added the footer section.",
    )
    expect(scanner.end()).toEqual({ visible: '', note: 'I added the foo' })
  })

  it('gives the same note at a second end, and no text twice', () => {
    const scanner = createNoteScanner()
    scanner.push('[NOTE TO SELF: a] b [N')
    expect(scanner.end()).toEqual({ visible: ' [N', note: 'a' })
    expect(scanner.end()).toEqual({ visible: '', note: 'a' })
  })

  it('does not gather a note without end', () => {
    const scanner = createNoteScanner()
    scanner.push('[NOTE TO SELF: ')
    for (let count = 0; count < 1000; count++) expect(scanner.push('x'.repeat(1000))).toBe('')
    expect(scanner.end().note).toBe(`${'x'.repeat(3999)}…`)
  })

  it('leaves no half of a character at the end of a broken note', () => {
    const scanner = createNoteScanner()
    scanner.push('[NOTE TO SELF: done \ud83d')
    expect(scanner.end()).toEqual({ visible: '', note: 'done' })
  })

  it.each(['', 'a b', 'a:', '[', 'x'.repeat(33), 'é'])('refuses the nonce %j', nonce => {
    expect(() => createNoteScanner({ nonce })).toThrow(
      'Option "nonce": must be 1 to 32 letters and digits',
    )
  })
})
