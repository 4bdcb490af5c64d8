import { describe, expect, it } from 'vitest'
import { assistant, calls, note, result, system, user } from '../testing/builders.ts'
import { dump, toDump } from './dump.ts'

describe('dump', () => {
  it('shows system prompt, history and the current message under the labels of S2', () => {
    const messages = [
      system('You edit a site.'),
      user('add a footer'),
      assistant("I've added the footer."),
      note('I added the footer.'),
      user('make it blue'),
    ]
    expect(dump({ messages })).toBe(
      [
        '=== SYSTEM PROMPT ===',
        'You edit a site.',
        '',
        '=== CONVERSATION HISTORY ===',
        '--- USER ---',
        'add a footer',
        '--- ASSISTANT ---',
        "I've added the footer.",
        '--- NOTE TO SELF ---',
        'I added the footer.',
        '',
        '=== CURRENT USER MESSAGE ===',
        'make it blue',
        '',
      ].join('\n'),
    )
  })

  it('has no history section without a history, and says when there is no instruction', () => {
    expect(dump({ messages: [system('s'), user('hi')] })).not.toContain('HISTORY')
    expect(dump({ messages: [system('s')] })).toContain(
      '=== CURRENT USER MESSAGE ===\n(no instruction yet)',
    )
    expect(dump({ messages: [user('hi'), assistant('hello')] })).toContain('(no instruction yet)')
  })

  it('shows the last instruction once, and the rounds of an open turn behind it', () => {
    const messages = [
      user('first'),
      assistant('ok'),
      user('list it'),
      calls('list'),
      result('list', 'a.ts'),
    ]
    const text = dump({ messages })
    expect(text.split('list it')).toHaveLength(2)
    expect(
      text.endsWith(
        '=== CURRENT USER MESSAGE ===\nlist it\n--- ASSISTANT ---\n→ list({})\n--- TOOL list ---\na.ts\n',
      ),
    ).toBe(true)
  })

  it('hides nothing that is sent: calls, images, thinking', () => {
    const messages = [
      { role: 'user', content: 'see', images: ['AAAA'] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [{ id: 'c1', function: { name: 'run', arguments: { n: 1 } } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ]
    const text = dump({ messages })
    expect(text).toContain('(1 image or file)')
    expect(text).toContain('(thinking) hm')
    expect(text).toContain('→ run({"n":1}) #c1')
    expect(text).toContain('--- TOOL c1 ---\ndone')
  })

  it('is also there as data', () => {
    expect(toDump({ messages: [system('s'), user('a'), assistant('b'), user('c')] })).toEqual({
      system: ['s'],
      tools: [],
      history: [
        { label: 'USER', text: 'a' },
        { label: 'ASSISTANT', text: 'b' },
      ],
      current: 'c',
      since: [],
    })
  })
})
