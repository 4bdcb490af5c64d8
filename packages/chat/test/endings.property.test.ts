import { type MessageLike, parseMessage } from '@throughline/core'
import { assertRounds } from '@throughline/core/testing'
import { createHistory } from '@throughline/history'
import { type Model, ModelError, type ModelPart } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { inChat } from '@throughline/test-tools/chat-help'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Chat, createChat, defineTool } from '../src/index.ts'

/** What the model does in one call, and how the call ends. */
interface Call {
  readonly words: number
  readonly thinks: boolean
  readonly calls: readonly ('look' | 'last' | 'fail' | 'wait' | 'nowhere' | 'write_note_to_self')[]
  readonly end: 'stop' | 'length' | 'error' | 'broken' | 'cancel' | 'leave'
}

interface Turn {
  readonly calls: readonly Call[]
  /** The writer dies with the turn open: the next one closes it. */
  readonly isKilled: boolean
}

const call: fc.Arbitrary<Call> = fc.record({
  words: fc.integer({ min: 0, max: 3 }),
  thinks: fc.boolean(),
  calls: fc.array(
    fc.constantFrom('look', 'last', 'fail', 'wait', 'nowhere', 'write_note_to_self'),
    {
      maxLength: 3,
    },
  ),
  end: fc.constantFrom('stop', 'stop', 'stop', 'length', 'error', 'broken', 'cancel', 'leave'),
})
const script: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
    isKilled: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)
const options = fc.record({
  notes: fc.constantFrom(false, true, { by: 'tool' as const }),
  cancelledTurn: fc.constantFrom('keep' as const, 'disregard' as const),
})

const tool = (
  name: string,
  run: (input: unknown, run: { signal: AbortSignal }) => unknown,
  endsTurn = false,
) => defineTool({ name, input: z.object({}), run, endsTurn })

/** Runs a script. Every turn ends in the way that it says, and the conversation is looked at after each. */
async function play(
  turns: readonly Turn[],
  given: { notes: boolean | { by: 'tool' }; cancelledTurn: 'keep' | 'disregard' },
  look: (messages: readonly MessageLike[], where: string) => void,
): Promise<void> {
  let todo: readonly Call[] = []
  let stop = new AbortController()
  const sent: (readonly MessageLike[])[] = []
  const model: Model = {
    name: 'script',
    window: async () => 4096,
    async *stream({ messages }): AsyncGenerator<ModelPart> {
      sent.push(messages)
      const [now, ...later] = todo
      todo = later
      const { words, thinks, calls, end } = now ?? {
        words: 1,
        thinks: false,
        calls: [],
        end: 'stop' as const,
      }
      if (thinks) yield { type: 'thinking-delta', text: 'Hm. ' }
      for (let n = 0; n < words; n++)
        yield { type: 'text-delta', text: n === 0 ? 'Well, ' : 'and [NOTE TO SELF: ok.]' }
      if (end === 'error') throw new ModelError('model_refused', 'No.')
      if (end === 'broken') return
      if (end === 'cancel') stop.abort()
      for (const [at, name] of calls.entries())
        yield {
          type: 'tool-call',
          id: `c${at}`,
          name,
          arguments: name === 'write_note_to_self' ? '{"note":"n"}' : '{}',
        }
      yield { type: 'end', reason: end === 'length' ? 'length' : 'stop', usage: {} }
    },
  }
  const tools = [
    tool('look', () => 'seen'),
    tool('last', () => 'over', true),
    tool('fail', () => {
      throw new Error('no')
    }),
    // Cancelled while it runs.
    tool('wait', (_, { signal }) => {
      stop.abort()
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    }),
  ]
  const store = memoryStore()
  const newChat = () => {
    const history = createHistory({ store })
    return {
      history,
      chat: createChat({ history, model, tools, maxRounds: 3, retries: 0, ...given }),
    }
  }
  const run = async (reply: ReturnType<Chat['send']>, leaves: boolean) => {
    for await (const part of reply) if (leaves && part.type === 'text-delta') break
  }
  let { history, chat } = newChat()
  let list: readonly MessageLike[] = []
  for (const { calls, isKilled } of turns) {
    const leaves = calls.some(({ end }) => end === 'leave')
    const user = { role: 'user', content: 'And?' } as const
    todo = calls
    stop = new AbortController()
    const reply = chat.respond([...list, user], { signal: stop.signal })
    await run(reply, leaves)
    list = [...list, user, ...reply.messages]
    look(list, 'the list of a client')

    todo = calls
    stop = new AbortController()
    if (isKilled) {
      const begun = await history.thread('chat').begin(user)
      if (begun.kind !== 'begun') throw new Error('expected a new turn')
      const said = { role: 'assistant', content: 'Let me see.' }
      const called = {
        ...said,
        tool_calls: [{ id: 'k', type: 'function', function: { name: 'look', arguments: '{}' } }],
      }
      await begun.turn.append(calls.length % 2 === 0 ? said : called)
      await begun.turn.leave()
      ;({ history, chat } = newChat())
    } else {
      await run(chat.send(user, { ...inChat, signal: stop.signal }), leaves)
    }
    const thread = history.thread('chat')
    look(await thread.messages(), 'the log')
    look((await thread.context({ window: 4096 })).messages, 'the next context')
  }
  for (const messages of sent) look(messages, 'what was sent')
}

/** Checks the sequence: every call has a result, users and answers alternate. Notes and system prompts do not count. */
function expectTurns(messages: readonly MessageLike[], where: string): void {
  const spoken = messages.filter(({ role }) => role !== 'assistant_note' && role !== 'system')
  assertRounds(spoken.map(parseMessage))
  for (const [at, { role }] of spoken.entries())
    if (role !== 'tool') expect(role, `after another in ${where}`).not.toBe(spoken[at - 1]?.role)
}

const runs = process.env.THROUGHLINE_LONG ? 5_000 : 20

it('a turn never ends with two answers in a row, however it ends', async () => {
  await fc.assert(
    fc.asyncProperty(script, options, (turns, given) => play(turns, given, expectTurns)),
    { numRuns: runs, seed: 26 },
  )
})

it('the same scripts find an ending that stands beside what arrived', async () => {
  const planted = (messages: readonly MessageLike[], where: string) =>
    expectTurns(
      messages.flatMap(message => {
        const [, said, ending] =
          /^(.+)\n\n(\[(?:The user|Cancelled|Interrupted).*\])$/s.exec(String(message.content)) ??
          []
        return ending ? [said, ending].map(content => ({ role: 'assistant', content })) : [message]
      }),
      where,
    )
  const found = fc.check(
    fc.asyncProperty(script, options, (turns, given) => play(turns, given, planted)),
    { numRuns: runs, seed: 26 },
  )
  expect((await found).failed).toBe(true)
})
