import { readActions } from '../../log/actions.ts'
import type { MessageLike } from '../../log/message.ts'
import type { ModelSettings, ToolSpec } from '../model.ts'
import { bestStatement } from './best-statement.ts'
import { fillArguments } from './fill-arguments.ts'
import { type Given, readGiven } from './given.ts'
import { nextCalls } from './next-calls.ts'
import { hasWrittenNote, noteForm, noteToolName, ownNote } from './own-note.ts'
import { isQuestion, splitSentences } from './split-sentences.ts'
import { readStatements } from './statements.ts'
import type { WantedCall } from './wanted-call.ts'
import {
  acknowledge,
  helplessText,
  nothingAskedText,
  quote,
  quoteResult,
  selfDescription,
} from './wording.ts'

/** What a `ReaderAnswer` gets: the parsed messages, and the format that the settings ask for. */
export interface ReaderQuestion extends Pick<Given, 'messages' | 'system' | 'asked'> {
  readonly format?: ModelSettings['format']
}

/** Answers in place of the reader; undefined leaves the question to the reader. Asked after all tools were called. */
export type ReaderAnswer = (question: ReaderQuestion) => string | undefined

export interface Answer {
  readonly text: string
  readonly calls: readonly WantedCall[]
}

/**
 * The reader's answer, a pure function of its input. The reader quotes, or says that it cannot; calls the tools that it is
 * told to call; and ends with a note if the instructions ask for one.
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
): Answer {
  const given = readGiven(messages)
  const next = nextCalls(given, tools)
  if (next.kind === 'calls') return { text: '', calls: next.calls }
  const own = next.kind === 'refusal' ? undefined : ownAnswer(given, format, answers)
  const text = own ?? (next.kind === 'refusal' ? next.text : reply(given, next.done))
  if (format !== undefined) return { text: own ?? formatted(format, text), calls: [] }
  return withNote(given, tools, text)
}

function ownAnswer(
  { messages, system, asked, turn }: Given,
  format: ModelSettings['format'],
  answers: readonly ReaderAnswer[],
): string | undefined {
  // After a round of tools the reader reports their results instead.
  if (turn.length > 0 && format === undefined) return undefined
  for (const answer of answers) {
    const text = answer({ messages, system, asked, ...(format !== undefined && { format }) })
    if (text !== undefined) return text
  }
  return undefined
}

function reply(given: Given, done: number): string {
  const { asked } = given
  const report = reportResults(given, done)
  if (report !== undefined) return report
  if (asked.trim() === '') return nothingAskedText
  if (asksWhoItIs.test(asked)) return selfDescription
  const sentences = splitSentences(asked)
  const questions = sentences.filter(isQuestion)
  if (questions.length === 0) return acknowledge(sentences[0] ?? asked)
  const statements = readStatements(given)
  // The last question counts most.
  for (const question of questions.toReversed()) {
    const best = bestStatement(question, statements)
    if (best !== undefined) return quote(best)
  }
  return helplessText
}

const asksWhoItIs =
  /\b(?:who|what)(?:\s+exactly)?\s+are\s+you(?:\s+(?:exactly|really))?\s*[?!.]*\s*$|\bare you (?:an?|the) (?:ai|bot|robot|human|person|program|model|language model|llm|reader)\b/i

/** Quotes the results of the last round; earlier ones are only counted. */
function reportResults({ turn }: Given, done: number): string | undefined {
  const actions = readActions(turn).filter(({ call }) => call.name !== noteToolName)
  if (actions.length === 0) return undefined
  const last = turn.findLast(({ calls }) => calls.some(({ name }) => name !== noteToolName))!
  const size = last.calls.filter(({ name }) => name !== noteToolName).length
  const said = actions.slice(-size).map(({ call, result }) => quoteResult(call.name, result ?? '(no result)'))
  return [...(done > size ? [`I made ${done} calls.`] : []), ...said].join(' ')
}

/** Fills the properties of a schema with the answer. */
function formatted(format: NonNullable<ModelSettings['format']>, text: string): string {
  return JSON.stringify(format === 'json' ? { answer: text } : fillArguments(format, text))
}

function withNote(given: Given, tools: readonly ToolSpec[], text: string): Answer {
  const form = noteForm(given, tools)
  if (form.kind === 'none' || hasWrittenNote(given)) return { text, calls: [] }
  const note = ownNote(given.asked, text)
  if (form.kind === 'block') return { text: `${text}\n\n${form.opening} ${note}]`, calls: [] }
  // Calls the note tool before the reply: with the reply, the turn would go on, and the reply be said twice.
  return { text: '', calls: [{ name: noteToolName, arguments: JSON.stringify({ note }) }] }
}
