import { describe, expect, it } from 'vitest'
import { tellFault, tellResult } from './telling.ts'

const codex = `Chunk ID: 5f
Wall time: 0.2 seconds
Process exited with code 0
Original token count: 900
Output:
src/parser.ts
${'x\n'.repeat(200)}`

describe('tellResult', () => {
  it('tells the line that was asked for in place of the first one, unless it failed', () => {
    const text = `register\nkey: amber\n${'y\n'.repeat(99)}`
    expect(tellResult(text, 90, 'key: amber')).toBe('101 lines … key: amber')
    expect(tellResult(text, 90, 'register')).toBe('101 lines: register')
    const failed = `<returncode>2</returncode>\nTypeError: no\n${'y\n'.repeat(99)}`
    expect(tellResult(failed, 90, 'y')).toBe('101 lines: exit code 2, TypeError: no')
  })

  it.each([
    ['a short text whole', 'ok', 'ok'],
    ['a short text in one line', 'one\ntwo', 'one two'],
    ['nothing', ' \n', ''],
    [
      'no reminder of a program',
      `<system-reminder>\nMind the rules.\n</system-reminder>\nfound it\n${'y\n'.repeat(99)}`,
      '103 lines: found it',
    ],
    [
      'a reminder that is all there is',
      '<system-reminder>The file is empty.</system-reminder>',
      '<system-reminder>The file is empty.</system-reminder>',
    ],
    ['what stands below a header', codex, '206 lines: src/parser.ts'],
    [
      'what stands below the name of a file',
      `<path>/home/me/app/src/parser.ts</path>\n<type>file</type>\n<content>\n1: import fs\n${'y\n'.repeat(99)}`,
      '103 lines: 1: import fs',
    ],
    [
      'what became of a file, without its folders',
      `The file /home/me/projects/application/packages/server/src/parser.ts has been updated. ${'y'.repeat(99)}`,
      `The file …/parser.ts has been updated. ${'y'.repeat(50)}…`,
    ],
    [
      'an address whole',
      `see https://example.com/one/two/three/four/five for more\n${'y\n'.repeat(99)}`,
      '100 lines: see https://example.com/one/two/three/four/five for more',
    ],
    [
      'an exit code and the first error',
      `<returncode>2</returncode>\ncollecting\nTypeError: x is no function\n${'y\n'.repeat(99)}`,
      '102 lines: exit code 2, TypeError: x is no function',
    ],
    [
      'the first line that says something',
      `{\n  "station": "shed",\n${'y\n'.repeat(99)}`,
      '101 lines: "station": "shed",',
    ],
    [
      'the first line without an exit code',
      `no error here\n${'y\n'.repeat(99)}`,
      '100 lines: no error here',
    ],
  ])('tells %s', (_, text, told) => {
    expect(tellResult(text, 90)).toBe(told)
  })

  it('is never longer than it may be, and reads a huge text quickly', () => {
    const huge = `exit code: 1\n${'error '.repeat(1_000_000)}`
    for (const max of [1, 8, 40, 200]) expect(tellResult(huge, max).length).toBeLessThanOrEqual(max)
  })
})

describe('tellFault', () => {
  it('tells only what an exit code says', () => {
    expect(tellFault('Error: no', 80)).toBeUndefined()
    expect(tellFault('exit code: 0', 80)).toBeUndefined()
    expect(tellFault('Exit code: 127\nsh: foo: not found', 80)).toBe(
      'exit code 127, sh: foo: not found',
    )
  })
})
