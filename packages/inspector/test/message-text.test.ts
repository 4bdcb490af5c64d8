import { expect, it } from 'vitest'
import { oneLine } from '../src/parts/message-text.ts'

it('a row shows what a result says, without the lines that only wrap it', () => {
  expect(oneLine('<returncode>0</returncode>\n<output>\n514: def run(self):\n</output>')).toBe(
    '514: def run(self): </output>',
  )
  expect(oneLine('```json\n{"a": 1}\n```')).toBe('{"a": 1} ```')
  // An exit code that tells of a fault stays, and so does a text of nothing but tags.
  expect(oneLine('<returncode>1</returncode>\nno such file')).toBe(
    '<returncode>1</returncode> no such file',
  )
  expect(oneLine('<output>\n</output>')).toBe('<output> </output>')
  expect([oneLine(undefined), oneLine(' \n ')]).toEqual(['', '(empty)'])
})
