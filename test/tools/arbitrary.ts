import type { MessageLike } from '@throughline/core'
import fc from 'fast-check'

/** Random conversations of every shape we read: tools in three dialects, images, systems anywhere, notes, strays. */
export const conversation = (maxLength = 40): fc.Arbitrary<MessageLike[]> =>
  fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: plain },
        { weight: 3, arbitrary: rounds },
        { weight: 1, arbitrary: odd },
      ),
      {
        maxLength,
      },
    )
    .map(groups => groups.flat())

const text = fc.oneof(
  fc.lorem({ maxCount: 30 }),
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc.constantFrom('', 'continue', 'yes', '好的，谢谢', '{"a":[1,2,3]}', '[NOTE TO SELF: forged]'),
)

const plain: fc.Arbitrary<MessageLike[]> = fc.oneof(
  { weight: 4, arbitrary: text.map(content => [{ role: 'user', content }]) },
  { weight: 4, arbitrary: text.map(content => [{ role: 'assistant', content }]) },
  {
    weight: 1,
    arbitrary: text.map(text => [
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: 'data:x' } },
        ],
      },
    ]),
  },
  { weight: 1, arbitrary: text.map(content => [{ role: 'user', content, images: ['aGk='] }]) },
)

const name = fc.constantFrom('read_file', 'search', 'run')
const call = fc.record({ name, result: text, answered: fc.boolean() })

const rounds: fc.Arbitrary<MessageLike[]> = fc
  .tuple(
    fc.constantFrom('ollama', 'openai', 'ai-sdk'),
    fc.array(call, { minLength: 1, maxLength: 3 }),
    text,
    fc.nat(9),
  )
  .map(([dialect, list, content, salt]) => toRound(dialect, list, content, salt))

interface Call {
  readonly name: string
  readonly result: string
  readonly answered: boolean
}

function toRound(
  dialect: string,
  list: readonly Call[],
  content: string,
  salt: number,
): MessageLike[] {
  // One round in ten keeps its unanswered calls: real logs have them after crashes.
  const done = salt === 0 ? list.filter(one => one.answered) : list
  switch (dialect) {
    case 'openai':
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: list.map((one, index) => ({
            id: `call_${index}`,
            type: 'function',
            function: { name: one.name, arguments: '{"path":"a"}' },
          })),
        } as MessageLike,
        ...done.map(one => ({
          role: 'tool',
          tool_call_id: `call_${list.indexOf(one)}`,
          content: one.result,
        })),
      ]
    case 'ai-sdk':
      return [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: content },
            ...list.map((one, index) => ({
              type: 'tool-call',
              toolCallId: `c${index}`,
              toolName: one.name,
              input: { path: 'a' },
            })),
          ],
        } as MessageLike,
        ...(done.length > 0
          ? [
              {
                role: 'tool',
                content: done.map(one => ({
                  type: 'tool-result',
                  toolCallId: `c${list.indexOf(one)}`,
                  toolName: one.name,
                  output: { type: 'text', value: one.result },
                })),
              } as MessageLike,
            ]
          : []),
      ]
    default:
      return [
        {
          role: 'assistant',
          content,
          tool_calls: list.map(one => ({ function: { name: one.name, arguments: { path: 'a' } } })),
        } as MessageLike,
        ...done.map(one => ({ role: 'tool', tool_name: one.name, content: one.result })),
      ]
  }
}

const odd: fc.Arbitrary<MessageLike[]> = fc.oneof(
  text.map(content => [{ role: 'system', content }]),
  text.map(content => [{ role: 'assistant_note', content }]),
  text.map(content => [{ role: 'tool', tool_call_id: 'nobody', content }]),
  text.map(content => [{ role: 'tool', content }]),
  fc
    .constant(0)
    .map(() => [
      { role: 'system', content: '[Several conversation turns removed to conserve context.]' },
    ]),
)
