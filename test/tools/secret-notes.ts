import type { MessageLike } from '@throughline/core/messages'
import { createRandom } from '@throughline/core/testing'

/** Texts that must not be shown: the words of the notes, and the forms in which tools returned them. */
export interface Secrets {
  readonly tokens: string[]
  readonly writings: string[]
}

/**
 * Makes up conversations and replies, the same for a seed, whose notes are full of secret words: as entries, in calls of
 * the note tool, in the arguments of other tools in every dialect, whole and broken off, and in what tools give back.
 */
export function noteWriter(seed: number) {
  const random = createRandom(seed)
  const pick = <T>(...list: readonly T[]): T => list[random(list.length)]!
  const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
  const secrets: Secrets = { tokens: [], writings: [] }
  const nonce = random(6) === 0 ? 'x7' : undefined

  const words = () => times(1 + random(5), () => pick(...vocabulary)).join(pick(' ', ' ', '\n'))

  function secret(): string {
    const token = `zq${seed.toString(36)}v${secrets.tokens.length}qz`
    secrets.tokens.push(token)
    return token
  }

  /** The text of a note. Its brackets balance, or one stays open. */
  const noteText = () =>
    times(1 + random(3), () =>
      pick(
        () => secret(),
        () => `${words()} ${secret()}`,
        () => `[${secret()} ${words()}]`,
        () => `"${secret()}", '${words()}'`,
        () => `C:\\${secret()}\\n`,
        () => `{"a": "${secret()}"}`,
        () => `${secret()} ü 好 😀`,
      )(),
    ).join(pick(' ', '\n', ', '))

  const marker = () => {
    const own = nonce === undefined ? '' : ` ${nonce}`
    return pick(
      `[NOTE TO SELF${own}:`,
      `[Note to self${own}:`,
      `[ note\tto self${own} :`,
      `[NOTE TO SELF${own}:\n`,
      `[NOTES TO SELF${own}:`,
      `[NOTE_TO-SELF${own} -`,
      `[**Note to myself${own}:**`,
    )
  }
  const block = () => {
    const bold = pick('', '', '**', '_')
    return `${bold}${marker()} ${noteText()}]${bold}`
  }
  const open = () => `${marker()} ${pick('', '[')}${noteText()}`

  /** A text with notes in it; the last may never close. */
  function noted(): string {
    const parts = times(
      1 + random(3),
      () => words() + pick(' ', '', '\n\n') + block() + pick(' ', '\n', ''),
    )
    return parts.join('') + pick(words(), '', random(4) === 0 ? open() : '')
  }

  function value(depth = 0): unknown {
    const text = noted()
    switch (random(depth > 2 ? 3 : 7)) {
      case 0:
        return { text, place: words() }
      case 1:
        return { [`${words()} ${block()}`]: 7, text: words() }
      case 2:
        return { list: [words(), text, 12345] }
      case 3:
        return { deep: { er: [value(depth + 1)] } }
      case 4:
        return { json: JSON.stringify(value(depth + 2)) }
      default:
        return { text }
    }
  }

  /** Some letters as escapes. None behind a backslash, which may be a part of one. */
  const escaped = (json: string) =>
    json.replace(/(?<!\\(?:u[0-9a-f]{0,3})?)[a-zA-Z[]/g, letter =>
      random(4) || letter === '[' ? letter : `\\u00${letter.charCodeAt(0).toString(16)}`,
    )

  const json = (given: unknown) => {
    const text = JSON.stringify(given)
    return random(3) ? text : escaped(text)
  }
  const brokenOff = (text: string) => text.slice(0, 1 + random(text.length))

  /** What a tool returns for a text: changed in some way. */
  function echo(given: string): string {
    const text = pick(
      () => given,
      () => JSON.stringify({ echo: given }),
      () => JSON.stringify(JSON.stringify([given])),
      // What broke off may end with half a character.
      () => encodeURIComponent(Buffer.from(given).toString()),
      () => given.replaceAll('[', '&#91;'),
      () => given.replaceAll('NOTE', 'note').slice(random(given.length)),
      () => remember(given, Buffer.from(given).toString('base64')),
      () => remember(given, Buffer.from(given).toString('hex')),
      () => remember(given, [...given].reverse().join('')),
      () => secrets.tokens.findLast(token => given.includes(token)) ?? given,
    )()
    return `${pick('', 'You said: ')}${text}`
  }
  /** Only what has a secret in it must be hidden. */
  function remember(given: string, writing: string): string {
    if (secrets.tokens.some(token => given.includes(token))) secrets.writings.push(writing)
    return writing
  }

  interface Called {
    readonly message: MessageLike
    readonly results: readonly MessageLike[]
  }

  const isNoted = () => random(4) > 0
  let calls = 0

  /** An assistant message with calls in one dialect, and what answers it. */
  function round(): Called {
    const dialect = pick('openai', 'ollama', 'function', 'custom', 'ai-sdk', 'ai-sdk', 'mixed')
    const isText = dialect !== 'ollama' && dialect !== 'ai-sdk' && dialect !== 'mixed'
    const size = dialect === 'function' ? 1 : 1 + random(3)
    const made = times(size, () => {
      const id = `c${calls++}`
      const isNoteTool = random(5) === 0
      const name = isNoteTool ? 'write_note_to_self' : pick('edit', 'echo')
      const input = isNoteTool ? { note: noteText() } : isNoted() ? value() : { text: words() }
      const written = random(5) ? json(input) : brokenOff(json(input))
      return { id, name, input, written, given: echo(isText ? written : JSON.stringify(input)) }
    })
    const text = pick('', words())
    const answers = made.map(({ id, name, given }) => ({ id, name, given }))
    const shuffled = random(3) ? answers : answers.toReversed()
    switch (dialect) {
      case 'openai':
        return {
          message: {
            role: 'assistant',
            content: text,
            tool_calls: made.map(({ id, name, written }) => ({
              id,
              type: 'function',
              function: { name, arguments: written },
            })),
            ...(random(2) && { function_call: null }),
          } as MessageLike,
          results: shuffled.flatMap(({ id, given }) =>
            times(random(6) ? 1 : 2, () => ({ role: 'tool', tool_call_id: id, content: given })),
          ),
        }
      case 'ollama':
        return {
          message: {
            role: 'assistant',
            content: text,
            tool_calls: made.map(({ name, input }) => ({ function: { name, arguments: input } })),
          },
          results: shuffled.map(({ name, given }) => ({
            role: 'tool',
            tool_name: name,
            content: given,
          })),
        }
      case 'function': {
        const { name, written, given } = made[0]!
        return {
          message: {
            role: 'assistant',
            content: text,
            ...(random(2) && { tool_calls: [] }),
            function_call: { name, arguments: written },
          } as MessageLike,
          results: [{ role: 'function', name, content: given }],
        }
      }
      case 'custom':
        return {
          message: {
            role: 'assistant',
            content: text,
            tool_calls: made.map(({ id, name, written }) => ({
              id,
              type: 'custom',
              custom: { name, input: random(2) ? noted() : written },
            })),
          },
          results: answers.flatMap(({ id, name }) =>
            name === 'write_note_to_self'
              ? [{ role: 'tool', tool_call_id: id, content: 'Noted.' }]
              : [],
          ),
        }
      case 'mixed':
        return {
          message: {
            role: 'assistant',
            content: [
              ...(text === '' ? [] : [{ type: 'text', text }]),
              ...made.slice(1).map(({ id, name, input }) => ({
                type: 'tool-call',
                toolCallId: id,
                toolName: name,
                input,
              })),
            ],
            tool_calls: made
              .slice(0, 1)
              .map(({ id, name, input }) => ({ id, function: { name, arguments: json(input) } })),
          },
          results: shuffled.map(({ id, given }) => ({
            role: 'tool',
            tool_call_id: id,
            content: given,
          })),
        }
      default: {
        const result = ({ id, name, given }: (typeof answers)[number]) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          ...pick<object>(
            { output: { type: 'text', value: given } },
            { output: { type: 'json', value: { given } } },
            { output: { type: 'content', value: [{ type: 'text', text: given }] } },
            { output: { type: 'error-text', value: given } },
            { result: given },
          ),
        })
        const parts = made.map(({ id, name, input }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          ...pick<object>({ input }, { args: input }, { input: json(input) }),
        }))
        const isInside = random(4) === 0
        const inside = isInside ? shuffled.map(result) : []
        return {
          message: {
            role: 'assistant',
            content: [{ type: 'text', text: words() }, ...parts, ...inside],
          },
          results: isInside ? [] : [{ role: 'tool', content: shuffled.map(result) }],
        }
      }
    }
  }

  function conversation() {
    const messages: MessageLike[] = [{ role: 'user', content: `tide ${words()}` }]
    for (const _ of times(1 + random(4), () => 0)) {
      const { message, results } = round()
      messages.push(message)
      if (random(12) === 0) messages.push({ role: 'user', content: words() })
      messages.push(...results)
      messages.push({ role: 'assistant', content: `tide ${words()}` })
      if (random(2)) messages.push({ role: 'assistant_note', content: noteText() })
      messages.push({ role: 'user', content: words() })
    }
    return { messages, secrets, nonce }
  }

  return {
    secrets,
    conversation,
    /** A reply as a model writes it. */
    reply: () => ({ text: noted(), secrets, nonce }),
    /** Arguments that are valid JSON. */
    jsonCall: () => json({ text: noted(), more: value() }),
    echo,
  }
}

const vocabulary =
  'tide rope lamp river [stone] count "paper" seven note to self window quiet [NO'.split(' ')
