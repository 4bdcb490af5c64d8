import { describe, expect, it } from 'vitest'
import { assistant, user } from '../../testing/builders.ts'
import { words } from '../../tokens/words.ts'
import { pipe } from '../draft/draft.ts'
import { fit } from '../fit.ts'
import { artifact } from './artifact.ts'
import { spongebob } from './spongebob.ts'

const program =
  '{"program":{"name":"dawn","steps":[{"command":{"type":"pattern","name":"solid","params":{"color":"#FFAA00"}}}]}}'
const chatter = (turns: number) =>
  Array.from({ length: turns }, (_, n) => [
    user(`how about ${n} one two three`),
    assistant(`well ${n} four five six`),
  ]).flat()
const run = (chat: readonly { role: string; content: string }[], window = 100) =>
  fit(chat, { window, count: words(), policy: pipe(spongebob(), artifact()) })

describe('artifact', () => {
  it('brings the current program just before the latest user message when it was cut', () => {
    const chat = [user('make a dawn'), assistant(program), ...chatter(30), user('a little slower')]
    const { messages, receipt } = run(chat)
    expect(messages.at(-2)).toEqual({ role: 'user', content: `[The current version:]\n${program}` })
    expect(receipt.entries[1]).toMatchObject({ fate: 'recalled', rule: 'artifact' })
  })

  it('does not send it twice when the tail has it whole', () => {
    const chat = [...chatter(30), user('make a dawn'), assistant(program), user('a little slower')]
    const { messages } = run(chat)
    expect(messages.filter(message => message.content.includes('dawn'))).toHaveLength(2)
    expect(messages).toContain(chat.at(-2))
  })

  it('takes the newest version, and whatever the user calls one', () => {
    const newer = program.replace('dawn', 'dusk')
    const chat = [
      user('make a dawn'),
      assistant(program),
      user('now dusk'),
      assistant(newer),
      ...chatter(30),
      user('slower'),
    ]
    expect(run(chat).messages.at(-2)!.content).toContain('dusk')
    const page = [user('page'), assistant('<html>hello</html>'), ...chatter(30), user('bluer')]
    const find = ({ text }: { text: string }) => (text.startsWith('<html') ? text : undefined)
    const { messages } = fit(page, {
      window: 100,
      count: words(),
      policy: pipe(spongebob(), artifact({ find, title: '[The page:]' })),
    })
    expect(messages.at(-2)!.content).toBe('[The page:]\n<html>hello</html>')
  })

  it('changes nothing where there is no artifact', () => {
    const chat = [...chatter(30), user('and now?')]
    expect(run(chat).receipt.counts.recalled).toBe(0)
  })
})
