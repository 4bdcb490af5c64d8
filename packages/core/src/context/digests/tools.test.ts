import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message, ToolCall, ToolResult } from '../../log/message.ts'
import { digestTools } from './tools.ts'

const blank = {
  dialect: 'openai',
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
} as const
const says = (text: string): Message => ({ ...blank, role: 'assistant', text })
const calls = (...made: ToolCall[]): Message => ({
  ...blank,
  role: 'assistant',
  text: 'Let me look.',
  calls: made,
})
const gives = (...results: ToolResult[]): Message => ({ ...blank, role: 'tool', text: '', results })
const call = (name: string, args: unknown = {}, id?: string): ToolCall => ({
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  ...(id === undefined ? {} : { id }),
})
const digest = (...messages: Message[]) => digestTools({ request: 'x', messages })

describe('digestTools', () => {
  it('is a call in the style of the journal, its result, and what was said', () => {
    expect(
      digest(
        calls(call('list_directory', { path: '/workspace/src' }, 'a')),
        gives({ callId: 'a', text: 'index.html, about.html' }),
        says('There are **two** pages. Shall I go on?'),
      ),
    ).toBe('list_directory(path="/workspace/src") → index.html, about.html — There are two pages.')
  })

  it('names the file first, and switches last', () => {
    const edit = { replace_all: false, old_string: 'a', file_path: '/src/lamp.ts' }
    expect(digest(calls(call('Edit', edit, 'a')), gives({ callId: 'a', text: 'done' }))).toBe(
      'Edit(file_path="/src/lamp.ts", old_string="a", replace_all=false) → done',
    )
  })

  it('does not take what was said before the call for the answer', () => {
    expect(digest(calls(call('now')), gives({ name: 'now', text: '12:00' }))).toBe('now() → 12:00')
  })

  it('leaves an exchange without calls to others', () => {
    expect(digest(says('Hello.'))).toBeUndefined()
    expect(digest()).toBeUndefined()
  })

  it.each([
    ['', '(no output)'],
    [' \n ', '(no output)'],
    ['Error: no such\nfile', 'Error: no such file'],
    [`Error: ${'x'.repeat(500)}`, `Error: ${'x'.repeat(142)}…`],
    ['a\n  b', 'a b'],
  ])('writes the result %j', (text, expected) => {
    expect(digest(calls(call('run')), gives({ text }))).toBe(`run() → ${expected}`)
  })

  it('says when a call has no result', () => {
    expect(
      digest(calls(call('a', {}, '1'), call('b', {}, '2')), gives({ callId: '2', text: 'two' })),
    ).toBe('a() → (no result); b() → two')
  })

  it.each([
    [{ path: '/a', depth: 2, all: true }, 'path="/a", depth=2, all=true'],
    [{ query: 'say "hi"\nnow' }, 'query="say \\"hi\\" now"'],
    [{ list: [1, 2], at: { x: 1 }, none: null }, 'list=[1,2], at={"x":1}, none=null'],
    [{ text: 'x'.repeat(300) }, `text="${'x'.repeat(73)}…`],
    [' ', ''],
    ['{"path": "/a', '{"path": "/a'],
    ['[1, 2]', '[1, 2]'],
    ['"text"', '"text"'],
    ['null', 'null'],
    [`{"path":"/a","text":"${'x'.repeat(200_000)}"}`, `{"path":"/a","text":"${'x'.repeat(58)}…`],
  ])('writes the arguments %j', (args, expected) => {
    expect(digest(calls(call('t', args)))).toBe(`t(${expected}) → (no result)`)
  })

  it('survives arguments of any depth', () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    expect(digest(calls(call('t', deep)))).toMatch(/^t\(.{80}\) → \(no result\)$/)
  })

  describe('matching', () => {
    it('goes by id, whatever the order', () => {
      expect(
        digest(
          calls(call('a', {}, '1'), call('a', {}, '2')),
          gives({ callId: '2', text: 'two' }),
          gives({ callId: '1', text: 'one' }),
        ),
      ).toBe('a() → one; a() → two')
    })

    it('goes by name and order without ids', () => {
      expect(
        digest(
          calls(call('a'), call('b'), call('a')),
          gives({ name: 'b', text: 'B' }),
          gives({ name: 'a', text: 'A1' }, { name: 'a', text: 'A2' }),
        ),
      ).toBe('a() → A1; b() → B; a() → A2')
    })

    it('knows ids that begin again in every round', () => {
      expect(
        digest(
          calls(call('a', {}, 'call_0')),
          calls(call('b', {}, 'call_0')),
          gives({ callId: 'call_0', text: 'of b' }),
        ),
      ).toBe('a() → (no result); b() → of b')
    })

    it('gives a stray result to nobody', () => {
      expect(digest(calls(call('a', {}, '1')), gives({ callId: '9', text: 'stray' }))).toBe(
        'a() → (no result)',
      )
      expect(digest(calls(call('a')), gives({ name: 'b', text: 'stray' }))).toBe(
        'a() → (no result)',
      )
    })
  })

  it('shows the latest actions and counts the earlier ones', () => {
    const seven = Array.from({ length: 7 }, (_, index) => call(`t${index}`))
    expect(digest(calls(...seven))).toBe(
      `(... and 2 earlier actions); ${[2, 3, 4, 5, 6].map(index => `t${index}() → (no result)`).join('; ')}`,
    )
    expect(digest(calls(...seven.slice(1)))).toContain('(... and 1 earlier action); t2()')
  })

  it('shows fewer long ones, and always what was said in the end', () => {
    const long = call('t', { text: 'x'.repeat(100) })
    const results = Array.from({ length: 4 }, () => ({ text: 'y'.repeat(200) }))
    const three = digest(calls(long, long, long, long), gives(...results), says('Done.'))
    expect(three).toMatch(
      /^\(\.\.\. and 1 earlier action\); (t\(.{80}\) → y{149}…(; )?){3} — Done\.$/,
    )
    const full = digest(calls(long, long, long), gives(...results), says(`${'Done '.repeat(25)}.`))
    expect(full).toMatch(/ — Done Done .*…$/)
  })

  it('names what was made and what was said, where a line is short', () => {
    const page = { path: '/workspace/index.html', content: '<h1>Kiel</h1>'.repeat(50) }
    const exchange = {
      request: 'add a footer',
      messages: [
        calls(call('list_directory', { path: '/workspace' }, '1')),
        gives({ callId: '1', text: 'index.html, about.html, style.css' }),
        calls(call('write_file', page, '2')),
        gives({ callId: '2', text: 'Wrote 650 characters.' }),
        calls(call('read_file', { path: '/workspace/index.html' }, '3')),
        gives({ callId: '3', text: '<h1>Kiel</h1>'.repeat(50) }),
        says('The footer stands on every page. Shall I go on?'),
      ],
    }
    const line = digestTools(exchange, 120)!
    expect(line).toBe(
      'write_file(path="/workspace/index.html", content="…) (+2 more) — The footer stands on every page.',
    )
  })

  it('does not list notes to self', () => {
    const note = call('write_note_to_self', { note: 'secret' }, '1')
    expect(digest(calls(note), gives({ callId: '1', text: 'Noted.' }))).toBeUndefined()
  })

  it('is bounded and the same twice for any messages', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 })
    const made = fc.record(
      { id: text, name: text, arguments: fc.oneof(text, fc.json()) },
      { requiredKeys: ['name', 'arguments'] },
    )
    const given = fc.record({ callId: text, name: text, text }, { requiredKeys: ['text'] })
    const message = fc.oneof(
      fc.array(made).map(list => calls(...list)),
      fc.array(given).map(list => gives(...list)),
      text.map(says),
    )
    fc.assert(
      fc.property(fc.array(message), messages => {
        const line = digest(...messages)
        expect(line === undefined).toBe(messages.every(each => each.calls.length === 0))
        expect((digestTools({ request: 'x', messages }, 120) ?? '').length).toBeLessThanOrEqual(120)
        expect(line ?? '').not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect((line ?? '').length).toBeLessThan(1000)
        expect(digest(...messages)).toBe(line)
      }),
    )
  })
})
