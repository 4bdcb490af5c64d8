import type { ReaderQuestion } from 'throughline/models'
import { askBack } from '../../shared/understanding.ts'
import { type Program, readProgram } from '../program.ts'
import { type LampState, lampUnderstanding, suggestionsFor } from './read-lamp.ts'

/**
 * Answers a request by rules: with a program, in words, or by asking back. All that they know of what plays is the context, as with any
 * model: a digest only tells of a program and cannot be changed.
 */
export function lampAnswer({
  asked,
  messages,
}: Pick<ReaderQuestion, 'asked' | 'messages'>): string {
  const programs = programsIn(messages)
  const state: LampState = { before: programs.at(-2), program: programs.at(-1) }
  const { request, read } = forced(asked)
  const intent = read(request, state)
  if (intent?.kind === 'play') return JSON.stringify({ program: intent.program })
  if (intent) return intent.text
  // A digest of an earlier answer counts too.
  const earlier = messages.map(({ text }) => text)
  return askBack(request, suggestionsFor(request, state), earlier)
}

/** A person who overruled the decision said so in front of the request. */
function forced(asked: string) {
  const { read } = lampUnderstanding
  const [, wish, request = asked] =
    /^(Something new|Change what plays): ([\s\S]*)$/.exec(asked) ?? []
  if (wish === 'Something new') return { request, read: (text: string) => read(text, {}) }
  return { request: wish ? `make it ${request}` : request, read }
}

/** The complete programs in the context, oldest first. Those in the instructions are only examples. */
function programsIn(messages: ReaderQuestion['messages']): readonly Program[] {
  return messages.flatMap(({ role, text }) => {
    const program = role === 'assistant' ? readProgram(text).program : undefined
    return program ? [program] : []
  })
}
