import { type MessageLike, noteToolName } from '@throughline/core/messages'
import { cut } from '@throughline/core/values'
import type { ModelSettings, ToolSpec } from '../model.ts'
import { bestStatement } from './best-statement.ts'
import { nextCalls, type WantedCall } from './next-calls.ts'
import { type ReaderInput, readInput } from './reader-input.ts'
import { isQuestion, splitSentences } from './split-sentences.ts'
import { readStatements } from './statements.ts'
import * as wording from './wording.ts'

/** What a `ReaderAnswer` gets: the parsed messages, and the format that the settings ask for. */
export interface ReaderQuestion extends Pick<ReaderInput, 'messages' | 'system' | 'asked'> {
  /** Set where the answer must be JSON. */
  readonly format?: ModelSettings['format']
}

/** Answers in place of the reader; undefined leaves the question to the reader. Asked after all tools were called. */
export type ReaderAnswer = (question: ReaderQuestion) => string | undefined

export interface FullReply {
  readonly text: string
  readonly calls: readonly WantedCall[]
}

/**
 * The reader's answer, pure: quotes or says that it cannot, calls the tools that it is told to, and ends with a note if asked to.
 *
 * @example
 * answer([{ role: 'user', content: 'I park on level 3.' }, { role: 'user', content: 'Where did I park?' }]).text
 * // You said: "I park on level 3."
 */
export function answer(
  messages: readonly MessageLike[],
  tools: readonly ToolSpec[] = [],
  { format }: ModelSettings = {},
  answers: readonly ReaderAnswer[] = [],
): FullReply {
  const input = readInput(messages)
  const { calls, refusal, done } = nextCalls(input, tools)
  if (calls.length > 0) return { text: '', calls }
  const custom = refusal === undefined ? ownAnswer(input, format, answers) : undefined
  const text = custom ?? refusal ?? reply(input, done)
  if (format === undefined) return withNote(input, tools, text)
  // The properties of a schema are filled with the answer.
  const filled = format === 'json' ? { answer: text } : fillSchema(format, text)
  return { text: custom ?? JSON.stringify(filled), calls: [] }
}

function ownAnswer(
  { messages, system, asked, turn }: ReaderInput,
  format: ModelSettings['format'],
  answers: readonly ReaderAnswer[],
): string | undefined {
  // After a round of tools the reader reports their results instead.
  if (turn.length > 0 && format === undefined) return undefined
  for (const answer of answers) {
    const text = answer({ messages, system, asked, format })
    if (text !== undefined) return text
  }
  return undefined
}

function reply(input: ReaderInput, done: number): string {
  const { asked, actions } = input
  if (actions.length > 0) return reportResults(input, done)
  if (asked.trim() === '') return wording.nothingAskedText
  if (asksWhoItIs.test(asked)) return wording.selfDescription
  const sentences = splitSentences(asked)
  const questions = sentences.filter(isQuestion)
  if (questions.length === 0) return wording.acknowledge(sentences[0] ?? asked)
  const statements = readStatements(input)
  // The last question counts most.
  for (const question of questions.toReversed()) {
    const best = bestStatement(question, statements)
    if (best !== undefined) return wording.quote(best)
  }
  return wording.helplessText
}

const asksWhoItIs =
  /\b(?:who|what)(?:\s+exactly)?\s+are\s+you(?:\s+(?:exactly|really))?\s*[?!.]*\s*$|\bare you (?:an?|the) (?:ai|bot|robot|human|person|program|model|language model|llm|reader)\b/i

/** Quotes the results of the last round; earlier ones are only counted. */
function reportResults({ turn, actions }: ReaderInput, done: number): string {
  const sizes = turn.map(({ calls }) => calls.filter(({ name }) => name !== noteToolName).length)
  const last = sizes.findLast(size => size > 0)!
  const body = actions
    .slice(-last)
    .map(({ call, result }) => wording.quoteResult(call.name, result ?? '(no result)'))
  return [...(done > last ? [`I made ${done} calls.`] : []), ...body].join(' ')
}

/** Adds a note as the system prompt asks: by the tool if the prompt names it or shows no block, else as a block. */
function withNote(
  { system, asked, turn }: ReaderInput,
  tools: readonly ToolSpec[],
  text: string,
): FullReply {
  const [opening] = /\[NOTE TO SELF(?: [A-Za-z0-9]{1,32})?:/.exec(system) ?? []
  const isOffered = tools.some(({ name }) => name === noteToolName)
  const isByTool = isOffered && (opening === undefined || system.includes(noteToolName))
  const isWritten = turn.some(({ calls }) => calls.some(({ name }) => name === noteToolName))
  if (isWritten || (opening === undefined && !isByTool)) return { text, calls: [] }
  const note = `${half(asked)} → ${half(text)}`
  if (!isByTool) return { text: `${text}\n\n${opening} ${note}]`, calls: [] }
  // Calls the note tool before the reply: with the reply, the turn would go on, and the reply be said twice.
  return { text: '', calls: [{ name: noteToolName, arguments: JSON.stringify({ note }) }] }
}

/** Shortens a text and replaces square brackets, which could end the block too early, or never. */
const half = (text: string): string => cut(text, 60).replaceAll('[', '(').replaceAll(']', ')')

type Schema = Readonly<Record<string, unknown>>

/** An object of a schema, made of a text: its numbers in order, the words of an `enum` that it has, else the text itself. */
function fillSchema(schema: Schema, text: string): Readonly<Record<string, unknown>> {
  const numbers = (text.match(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?/gu) ?? []).map(Number)
  return fillObject(schema)

  /** Fills only required properties, or all if none is required. What the text has no value for is left out. */
  function fillObject({ properties = {}, required }: Schema): Readonly<Record<string, unknown>> {
    const schemas = properties as Readonly<Record<string, Schema>>
    const names = Array.isArray(required) ? (required as string[]) : Object.keys(schemas)
    const filled = names.map(name => [name, fillValue(schemas[name] ?? {})] as const)
    return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
  }

  function fillValue({ enum: values, type, items = {}, ...schema }: Schema): unknown {
    if (Array.isArray(values)) {
      const lowerText = text.toLowerCase()
      return values.find(value => lowerText.includes(String(value).toLowerCase())) ?? values[0]
    }
    switch (type) {
      case 'number':
        return numbers.shift()
      case 'integer': {
        const at = numbers.findIndex(Number.isInteger)
        return at < 0 ? undefined : numbers.splice(at, 1)[0]
      }
      case 'boolean':
        return !/\b(?:no|not|don['’]?t|false|without)\b/i.test(text)
      case 'object':
        return fillObject(schema)
      case 'array':
        return [fillValue(items as Schema)].filter(value => value !== undefined)
      default:
        return text
    }
  }
}
