import { describe, expect, it } from 'vitest'
import { assistant, result, system, type TestMessage, user } from '../../testing/builders.ts'
import { o200k } from '../../tokens/o200k.ts'
import { addedTexts } from '../added-texts.fixture.ts'
import type { Policy } from '../draft/draft.ts'
import { fit } from '../fit.ts'
import { balanced, thorough, thrifty } from '../policies/recall.ts'
import { sliding } from '../policies/sliding.ts'
import { spongebob } from '../policies/spongebob.ts'
import { stable } from '../policies/stable.ts'
import { tiered } from '../policies/tiered.ts'

const policies: readonly Policy[] = [
  sliding({ messages: 20 }),
  spongebob(),
  tiered({ max: 6 }),
  stable(),
  thrifty(),
  balanced(),
  thorough(),
]

const talk = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => [
    user(`Tell me about lighthouse ${from + n}, please.`),
    assistant(
      `Lighthouse ${from + n} stands on a rock of its own. ${'It is tall and white. '.repeat(12)}`,
    ),
  ]).flat()

const call = (name: string, given: Record<string, unknown>): TestMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ function: { name, arguments: given } }],
})

const wrote = [
  user('Add a footer to the page.'),
  call('list_directory', { path: '/workspace' }),
  result('list_directory', 'index.html, about.html'),
  call('write_file', { path: '/workspace/index.html', content: '<footer>' }),
  result('write_file', 'Wrote 8 characters.'),
  assistant('The footer is there.'),
]

const chat = [system('You edit a site.'), ...talk(0, 1), ...wrote, ...talk(1, 60), user('Go on.')]

it('stands before the last round of an open turn, not between its call and the results', () => {
  const open = [
    user('Go.'),
    call('read_file', { path: 'a' }),
    result('read_file', 'A'),
    call('read_file', { path: 'b' }),
  ]
  const { messages } = fit(open, { window: 4096, policy: sliding({ messages: 0 }) })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  expect(messages[1]!.content).toBe('[Actions so far in this turn:]\n1. [read_file] a → A')
})

describe.each(policies.map(policy => [policy.name, policy] as const))('%s', (_name, policy) => {
  const journals = (window: number, messages = chat) =>
    addedTexts(fit(messages, { window, policy }).receipt).filter(({ part }) => part === 'journal')

  it('says what the last turn with tools did, when it was cut', () => {
    const [journal, ...more] = journals(4096)
    expect(more).toEqual([])
    expect(journal?.text).toBe(
      '[Summary of previous turn actions:] 1. [list_directory] path="/workspace" → index.html, about.html\n' +
        '2. [write_file] path="/workspace/index.html", content="<footer>" → Wrote 8 characters.',
    )
  })

  it('takes at most an eighth of what system prompt and tools leave', () => {
    const worked = Array.from({ length: 40 }, (_, n) => [
      call('run_tests', {
        command: `npm test -- part-${n}`,
        reason: `because of the change in file ${n}`,
      }),
      result('run_tests', `part ${n}: all of its 17 tests have passed, none was skipped`),
    ]).flat()
    const turn = [user('Run the tests.'), ...worked, assistant('They pass.')]
    const rules = system(`You edit a site. ${'Keep to the rules of the house. '.repeat(860)}`)
    const all = [rules, ...talk(0, 1), ...turn, ...talk(1, 40), user('Go on.')]
    const { receipt } = fit(all, { window: 8192, policy, count: o200k() })
    const left = 8192 - receipt.parts.system
    expect(left).toBeLessThan(2000)
    expect(receipt.parts.journal).toBeGreaterThan(0)
    expect(receipt.parts.journal).toBeLessThanOrEqual(left / 8)
  })

  it('says nothing where nothing was cut, no tool was called, or the window is small', () => {
    expect(journals(60_000, chat.slice(0, 9))).toEqual([])
    expect(journals(4096, [...chat.slice(0, 3), ...talk(1, 60), user('Go on.')])).toEqual([])
    expect(journals(2048)).toEqual([])
  })
})
