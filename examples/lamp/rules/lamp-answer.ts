import type { ReaderQuestion } from 'throughline/models'
import { decide } from '../follow-up.ts'
import { type Program, readProgram } from '../program.ts'
import { editProgram } from './edit-program.ts'
import { newProgram } from './new-program.ts'
import { levelIn, paceIn } from './words.ts'

/**
 * Answers a request by rules: with a program, or by saying that they do not understand it. All that they know of what plays
 * is the context, as with any model: a digest only tells of a program and cannot be changed.
 */
export function lampAnswer({ asked, messages }: Pick<ReaderQuestion, 'asked' | 'messages'>): string {
  const programs = programsIn(messages)
  const [before, newest] = [programs.at(-2), programs.at(-1)]
  const isChange = decide(asked, newest !== undefined).kind === 'follow-up'
  const isOff = newest?.steps.every(({ command }) => command.type === 'stop')
  if (isChange && (goesBack.test(asked) || (isOff && goesOn.test(asked))))
    return written(before) ?? cannotGoBack
  // There is nothing to change in a lamp that is off: what it played before is meant.
  const current = isOff ? (before ?? newest) : newest
  const program = current && isChange ? editProgram(current, asked) : newProgram(asked)
  return written(program) ?? (isChange && isMeasured(asked) ? asFarAsItGoes : notUnderstood)
}

const goesBack =
  /\bundo\b|\bgo back\b|\bbefore\b|\bprevious\b|\brückgängig\b|\bvorher\b|\bdeshaz\b|\bannule\b/i

const goesOn = /\bon\b|\bagain\b|\bresume\b|\bcontinue\b/i

const whoIAm = 'I am a few rules, not a model.'
export const notUnderstood = `${whoIAm} I know colours, patterns (solid, gradient, breathing, wave, rainbow, pulse, sparkle), a few scenes such as “a thunderstorm” or “a sunset”, words to write, and changes such as “slower” or “make it blue”. I did not understand this one, so the lamp goes on as it was.`
const cannotGoBack = `${whoIAm} I see no earlier program in full, so I cannot go back to it.`

const asFarAsItGoes = `${whoIAm} I cannot change that any further, so the lamp goes on as it was.`

function isMeasured(asked: string): boolean {
  return paceIn(asked) !== 1 || levelIn(asked) !== 1
}

function written(program: Program | undefined): string | undefined {
  return program && JSON.stringify({ program })
}

/** The complete programs in the context, oldest first. Those in the instructions are only examples. */
function programsIn(messages: ReaderQuestion['messages']): readonly Program[] {
  return messages.flatMap(({ role, text }) => {
    const program = role === 'assistant' ? readProgram(text).program : undefined
    return program ? [program] : []
  })
}
