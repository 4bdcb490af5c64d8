import { readActions } from '../../log/actions.ts'
import type { MessageLike } from '../../log/message.ts'
import type { ModelSettings, ToolSpec } from '../model.ts'
import { bestStatement } from './best-statement.ts'
import { fillArguments } from './fill-arguments.ts'
import { type Given, readGiven } from './given.ts'
import { asksForProgram, lampProgram } from './lamp-program.ts'
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

export interface Answer {
  readonly text: string
  readonly calls: readonly WantedCall[]
}

/**
 * What the reader answers: a pure function of what it is given. It quotes, or says that it cannot; it calls the tools
 * that it is told to call; it ends with a note when the instructions ask for one.
 *
 * @example
 * answer([{ role: 'user', content: 'I park on level 3.' }, { role: 'user', content: 'Where did I park?' }]).text
 * // You said: "I park on level 3."
 */
export function answer(
  messages: readonly MessageLike[],
  tools: readonly ToolSpec[] = [],
  settings: ModelSettings = {},
): Answer {
  const given = readGiven(messages)
  const next = nextCalls(given, tools)
  if (next.kind === 'calls') return { text: '', calls: next.calls }
  const text = next.kind === 'refusal' ? next.text : reply(given, next.done)
  const { format } = settings
  if (format !== undefined) return { text: formatted(given, format, text), calls: [] }
  return withNote(given, tools, text)
}

function reply(given: Given, done: number): string {
  const { asked } = given
  const report = reportResults(given, done)
  if (report !== undefined) return report
  if (asksForProgram(given.system)) return lampProgram(given)
  if (asked.trim() === '') return nothingAskedText
  if (asksWhoItIs.test(asked)) return selfDescription
  const sentences = splitSentences(asked)
  const questions = sentences.filter(isQuestion)
  if (questions.length === 0) return acknowledge(sentences[0] ?? asked)
  const statements = readStatements(given)
  // Of several questions the last one counts most.
  for (const question of questions.toReversed()) {
    const best = bestStatement(question, statements)
    if (best !== undefined) return quote(best)
  }
  return helplessText
}

const asksWhoItIs =
  /\b(?:who|what)(?:\s+exactly)?\s+are\s+you(?:\s+(?:exactly|really))?\s*[?!.]*\s*$|\bare you (?:an?|the) (?:ai|bot|robot|human|person|program|model|language model|llm|reader)\b/i

/** After the last round: what its tools said. Earlier ones are only counted. */
function reportResults({ turn }: Given, done: number): string | undefined {
  const actions = readActions(turn).filter(({ call }) => call.name !== noteToolName)
  if (actions.length === 0) return undefined
  const last = turn.findLast(({ calls }) => calls.some(({ name }) => name !== noteToolName))!
  const size = last.calls.filter(({ name }) => name !== noteToolName).length
  const said = actions.slice(-size).map(({ call, result }) => quoteResult(call.name, result ?? '(no result)'))
  return [...(done > size ? [`I made ${done} calls.`] : []), ...said].join(' ')
}

/** JSON is a lamp program, unless a schema asks for something else: then its properties are filled with the answer. */
function formatted(given: Given, format: NonNullable<ModelSettings['format']>, text: string): string {
  const properties =
    format === 'json' ? undefined : (format.properties as Record<string, unknown> | undefined)
  if (format === 'json' || properties?.program !== undefined) return lampProgram(given)
  return JSON.stringify(fillArguments(format, text))
}

function withNote(given: Given, tools: readonly ToolSpec[], text: string): Answer {
  const form = noteForm(given, tools)
  if (form.kind === 'none' || hasWrittenNote(given)) return { text, calls: [] }
  const note = ownNote(given.asked, text)
  if (form.kind === 'block') return { text: `${text}\n\n${form.opening} ${note}]`, calls: [] }
  // Before the reply and not with it: a turn that went on after its reply would have to say it twice.
  return { text: '', calls: [{ name: noteToolName, arguments: JSON.stringify({ note }) }] }
}
