import { describe, expect, it } from 'vitest'
import { readMessage } from '../../log/parse-message.ts'
import { askedLine } from './asked-line.ts'

const request = (content: string) => readMessage({ role: 'user', content }, 0)
const file = [
  '# part 02 of the harbour register',
  'status: open',
  'key of part 02: amber-4711',
  ...Array.from({ length: 60 }, (_, n) => `berth ${n}: the tug lies at the long pier, ${n} feet`),
].join('\n')

describe('askedLine', () => {
  it.each([
    ['Write the keys of the parts into keys.txt.', 'key of part 02: amber-4711'],
    ['Which berth has 7 feet?', 'berth 7: the tug lies at the long pier, 7 feet'],
    // Only its words are said again: the line tells nothing new.
    ['Is the status open?', undefined],
    // A single word, and words that name nothing.
    ['Where is the pier?', undefined],
    ['And the first part of it, please.', undefined],
    ['', undefined],
  ])('is, for %j, %j', (asked, line) => {
    expect(askedLine(file, request(asked))).toBe(line)
  })

  it.each([': ', '→', '| ', '\t'])('is no line that only has a number besides: %j', between => {
    const numbered = file
      .split('\n')
      .map((line, at) => `  ${at + 1}${between}${line}`)
      .join('\n')
    const asked = 'Set the status from open to closed, then write the keys of the parts.'
    const wrapped = `<path>/work/parts/part-02.txt</path>\n<content>\n${numbered}\n</content>`
    expect(askedLine(wrapped, request(asked))).toBe(`3${between}key of part 02: amber-4711`)
  })

  it('is trimmed, short, and not one of a reminder', () => {
    const text = `<system-reminder>\nkey of part 9: x\n</system-reminder>\n  key of part 2: ${'y'.repeat(999)}`
    const line = askedLine(text, request('The keys of the parts.'))!
    expect(line).toMatch(/^key of part 2: y+$/)
    expect(line).toHaveLength(300)
  })

  it('is asked for by the end of a message, not by what a program says in each', () => {
    const asked = `<system-reminder>\nWhich berth has 7 feet?\n</system-reminder>\n${'Go on. '.repeat(9000)}`
    expect(askedLine(file, request(`Which berth has 7 feet? ${asked}`))).toBeUndefined()
    expect(askedLine(file, request(`${asked}The keys of the parts?`))).toBe(
      'key of part 02: amber-4711',
    )
  })

  it('stands in the beginning of a text of any size', () => {
    const far = `${'nothing here\n'.repeat(1_000_000)}key of part 3: x`
    expect(askedLine(far, request('The keys of the parts.'))).toBeUndefined()
    expect(
      askedLine('key part '.repeat(1_000_000), request('The keys of the parts.')),
    ).toBeUndefined()
  })
})
