import { growth, notLinear } from '@throughline/test-tools/growth'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../log/message.ts'
import { digestCode } from './code.ts'

const blank = {
  dialect: 'ollama',
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
} as const
const answer = (text: string): readonly Message[] => [{ ...blank, role: 'assistant', text }]
const digest = (text: string) => digestCode({ request: 'x', messages: answer(text) })
const fenced = (language: string, ...lines: string[]) =>
  `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``

const queue = fenced(
  'typescript',
  'export function createQueue() {',
  '  const inner = () => 1',
  '  return inner',
  '}',
  '',
  'export const drain = async () => {}',
)

describe('digestCode', () => {
  it('is language, lines, names and the first sentence', () => {
    expect(digest(`Here is the queue with back-off. It is small.\n\n${queue}`)).toBe(
      'typescript, 6 lines: createQueue, drain — Here is the queue with back-off.',
    )
  })

  it('takes the sentence after the code if none stands before, without its colon', () => {
    expect(digest(`${queue}\n\nIt retries.`)).toBe(
      'typescript, 6 lines: createQueue, drain — It retries.',
    )
    expect(digest(`The queue:\n${queue}`)).toBe(
      'typescript, 6 lines: createQueue, drain — The queue',
    )
  })

  it('does without prose, language and names', () => {
    expect(digest(fenced('', 'x = 1'))).toBe('code, 1 line')
  })

  it('adds several blocks', () => {
    expect(digest(`${fenced('html', '<b>', '</b>')}\n${fenced('css', '.a { b: c }')}`)).toBe(
      'html, 3 lines',
    )
  })

  it('reads a block that was never closed to the end', () => {
    expect(digest('```py\ndef run():\n    pass')).toBe('py, 2 lines: run')
  })

  it('knows longer fences and tildes', () => {
    expect(digest('````md\n```js\nlet a\n```\n````')).toBe('md, 3 lines')
    expect(digest('~~~js\nclass A {}\n~~~')).toBe('js, 1 line: A')
    expect(digest('```js\r\nclass A {}\r\n```\r\n')).toBe('js, 1 line: A')
  })

  it.each([
    [
      'js',
      [
        'async function* a() {',
        '}',
        'class B extends A {',
        '  c() {}',
        '}',
        'const d = x => x',
        'const e = 1',
      ],
      'a, B, d',
    ],
    [
      'ts',
      [
        'import type F from "f"',
        'export interface A {',
        '}',
        'type B = 1',
        'export default class C {}',
      ],
      'A, B, C',
    ],
    [
      'python',
      [
        'from x import y',
        'class A:',
        '    def method(self):',
        '        pass',
        'async def b():',
        '    pass',
      ],
      'A, b',
    ],
    [
      'go',
      ['type Queue struct {', '}', 'func (q *Queue) Push(x int) {', '}', 'func main() {'],
      'Queue, Push, main',
    ],
    [
      'rust',
      ['pub(crate) async fn go<T>() {}', 'pub struct A;', 'impl A {', '    fn x() {}', '}'],
      'go, A',
    ],
    [
      'c',
      [
        'static char *name(void) {',
        '}',
        'int main(int argc, char **argv)',
        '{',
        'if (x) {',
        'while(y) {',
      ],
      'name, main',
    ],
    ['sh', ['set -e', 'deploy() {', '  if true; then x; fi', '}'], 'deploy'],
    ['java', ['public final class A {', '  public void b() {', '  }', '}'], 'A'],
    ['ruby', ['module A', '  class B', 'def self.c', 'end'], 'A, self.c'],
    [
      'sql',
      ['CREATE TABLE IF NOT EXISTS "users" (id int);', 'create table posts (id int);'],
      'users, posts',
    ],
    ['kotlin', ['data class A(val b: Int)', 'fun c() = 1'], 'A, c'],
  ])('finds what %s defines at the left edge', (language, lines, expected) => {
    expect(digest(fenced(language, ...lines))).toBe(
      `${language}, ${lines.length} lines: ${expected}`,
    )
  })

  it('names five', () => {
    const lines = Array.from({ length: 6 }, (_, index) => `def f${index}(): pass`)
    expect(digest(fenced('py', ...lines))).toBe('py, 6 lines: f0, f1, f2, f3, f4, …')
  })

  it.each([
    ['no code', 'Just prose.'],
    ['nothing', ''],
    ['an empty block', '```js\n\n```'],
    ['inline code', '```let a = 1```\nis how a variable is declared'],
    ['mostly prose', `${'A long explanation. '.repeat(20)}\n${queue}`],
  ])('leaves %s to others', (_what, text) => {
    expect(digest(text)).toBeUndefined()
  })

  it.each([
    ['backticks', '`', ''],
    ['tildes', '~', ''],
    ['fences', '```\n', ''],
    ['blanks after a fence', ' ', '```'],
    ['keywords', 'class ', '```js\n'],
    ['open brackets', '(', '```js\nconst a = '],
    ['values that open a bracket', '=(', '```js\nconst a '],
    ['arrows that never come', '= async (x) = ', '```js\nconst a '],
    ['receivers', 'func (a) ', '```js\n'],
    ['words', 'a ', '```js\n'],
    ['calls', 'a a a a(\n', '```js\n'],
    ['line breaks after a call', '\n', '```js\na()'],
  ])('reads a long answer of %s once', (_what, part, before) => {
    const make = (size: number) => before + part.repeat(Math.ceil(size / part.length))
    expect(growth(make, digest, { size: 6_000 })).toBeLessThan(notLinear)
  })
})
