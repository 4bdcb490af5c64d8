import { describe, expect, it } from 'vitest'
import { ago, daysOf, dayTime, fullTime } from '../src/parts/format.ts'
import { sharedHead, toBranchTree, versionsOf } from '../src/views/chat/branch-tree.ts'
import { readShown, toChatRows } from '../src/views/chat/chat-rows.ts'

describe('days', () => {
  const on = (...days: readonly string[]) => days.map(day => new Date(`${day}T12:00:00`).getTime())
  const [now] = on('2026-11-16') as [number]
  it('are said as a person says them, with their year where it is another one', () => {
    expect(daysOf(on('2025-03-02', '2025-03-03'), now)).toBe('2–3 March 2025')
    expect([dayTime, fullTime].map(format => format(on('2025-03-02')[0]!, now))).toEqual([
      '2 March 2025, 12:00',
      'Sun 2 March 2025, 12:00',
    ])
    expect(ago(on('2025-03-02')[0]!, now)).toBe('2 Mar 2025')
    expect(fullTime(on('2026-03-02')[0]!, now)).toBe('Mon 2 March, 12:00')
    expect(daysOf(on('2026-03-02'), now)).toBe('2 March')
    expect(daysOf(on('2026-03-13', '2026-03-02', '2026-03-12', '2026-03-12'), now)).toBe(
      '2 and 12–13 March',
    )
    expect(
      daysOf(on('2026-03-02', '2026-03-04', '2026-03-06', '2026-03-07', '2026-03-08'), now),
    ).toBe('2, 4 and 6–8 March')
    expect(daysOf(on('2026-02-28', '2026-03-01'), now)).toBe('28 February and 1 March')
    expect(daysOf(on('2025-12-31', '2026-01-01'), now)).toBe('31 December 2025 and 1 January 2026')
    expect(daysOf([])).toBe('')
  })
})

describe('branches', () => {
  const branch = (name: string, head: number, fork?: readonly [string, number], time = head) => ({
    ...{ branch: name, head, updatedAt: time },
    ...(fork && { forkOf: { branch: fork[0], at: fork[1] } }),
    ...(fork && head > fork[1] && { begins: { time } }),
  })
  const branches = [
    branch('main', 10),
    branch('edit', 12, ['main', 6], 100),
    branch('again', 8, ['main', 6], 50),
    branch('deep', 14, ['edit', 10], 200),
    // Forked from a branch at a place that it shares with its parent.
    branch('early', 5, ['edit', 4], 300),
    branch('empty', 6, ['main', 6]),
  ]

  it('hang below the one that they leave, the newest first', () => {
    const tree = toBranchTree(branches.toReversed())
    expect(tree.map(({ branch: { branch }, depth }) => `${depth} ${branch}`)).toEqual([
      '0 main',
      '1 empty',
      '1 edit',
      '2 early',
      '2 deep',
      '1 again',
    ])
    expect(tree.map(({ hasNext }) => hasNext)).toEqual([false, true, true, true, false, false])
  })

  it('share what was said before they part', () => {
    expect(sharedHead(branches, 'main', 'deep')).toBe(6)
    expect(sharedHead(branches, 'deep', 'edit')).toBe(10)
    expect(sharedHead(branches, 'early', 'again')).toBe(4)
    expect(sharedHead(branches, 'empty', 'main')).toBe(6)
    expect(sharedHead(branches, 'main', 'main')).toBe(10)
  })

  it('give the ways in which a conversation goes on from a place', () => {
    const main = versionsOf(branches, 'main')
    expect([...main.keys()].sort((a, b) => a - b)).toEqual([5, 7])
    expect(main.get(7)).toEqual({
      versions: [
        { own: 'main', open: 'main' },
        { own: 'again', open: 'again' },
        // The newest of those that go through it.
        { own: 'edit', open: 'deep' },
      ],
      current: 0,
    })
    expect(main.get(5)).toEqual({
      versions: [
        { own: 'main', open: 'main' },
        { own: 'early', open: 'early' },
      ],
      current: 0,
    })
    const deep = versionsOf(branches, 'deep')
    expect(deep.get(7)).toMatchObject({
      versions: [{ own: 'main' }, { own: 'again' }, { own: 'edit' }],
      current: 2,
    })
    expect(deep.get(7)!.versions[2]).toEqual({ own: 'edit', open: 'deep' })
    expect(deep.get(11)).toEqual({
      versions: [
        { own: 'edit', open: 'edit' },
        { own: 'deep', open: 'deep' },
      ],
      current: 1,
    })
    expect(versionsOf(branches, 'empty').size).toBe(1)
    expect(versionsOf(branches, 'nowhere').size).toBe(0)
  })

  it('that name each other in a circle end the search', () => {
    const circle = [branch('a', 5, ['b', 2]), branch('b', 5, ['a', 2])]
    expect(toBranchTree(circle)).toEqual([])
    expect(versionsOf(circle, 'a').size).toBeLessThan(2)
  })
})

describe('rows', () => {
  it('have the results of their calls, the call that gave them and what was brought back for them', () => {
    const messages = [
      { id: '1', seq: 1, role: 'user', content: 'a' },
      {
        id: '2',
        seq: 2,
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', function: { name: 'get' } }],
      },
      { id: '3', seq: 3, role: 'tool', tool_call_id: 'c', content: 'done' },
      { id: '4', seq: 4, role: 'tool', tool_call_id: 'other', content: 'stray' },
      { id: '6', seq: 6, role: 'assistant', content: 'b' },
    ]
    const call = {
      id: 'x',
      at: 1,
      model: 'm',
      status: 'completed' as const,
      recalled: [9, 7],
      asking: 1,
    }
    const later = { ...call, id: 'y', at: 5, recalled: [8] }
    const rows = toChatRows([
      {
        messages: new Map(messages.map(one => [one.seq, one])),
        calls: [call, later],
        isFull: true,
      },
    ])
    expect([...rows.keys()]).toEqual([1, 2, 4, 6])
    expect(rows.get(1)!.brought).toEqual({ entries: [7, 9], sources: [] })
    expect(rows.get(2)).toMatchObject({
      calls: [{ name: 'get', result: { text: 'done' } }],
      call: { id: 'x' },
    })
    expect(rows.get(4)!.message.results).toMatchObject([{ text: 'stray' }])
    expect(rows.get(6)!.call?.id).toBe('y')
  })
})

describe('messages', () => {
  it('are read in the forms of Ollama, OpenAI and the AI SDK', () => {
    const read = (message: object) => readShown({ id: '1', seq: 1, role: 'user', ...message })
    expect(
      read({ content: [{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b'] }),
    ).toMatchObject({
      ...{ role: 'user', text: 'a\nb', media: 1 },
    })
    const ollama = { function: { name: 'get', arguments: { url: 'x' } } }
    expect(
      read({ role: 'assistant', content: '', tool_calls: [ollama], thinking: 'hm' }),
    ).toMatchObject({
      ...{ role: 'assistant', thinking: 'hm', calls: [{ name: 'get', arguments: '{"url":"x"}' }] },
    })
    expect(
      read({ role: 'tool', tool_call_id: 'c1', content: 'done', time: '2026-03-02T08:00:00Z' }),
    ).toMatchObject({
      ...{ text: '', results: [{ id: 'c1', text: 'done' }], time: Date.UTC(2026, 2, 2, 8) },
    })
    const result = {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 'get',
      output: { type: 'error-text', value: 'no' },
    }
    expect(read({ role: 'tool', content: [result] })).toMatchObject({
      results: [{ id: 'c', name: 'get', text: 'no', isError: true }],
    })
    expect(read({ content: null, tool_calls: 'x', images: 3, role: '__proto__' })).toMatchObject({
      text: '',
      calls: [],
    })
  })
})
