import type { ReaderAnswer, ReaderQuestion } from 'throughline/models'
import { coloursIn, paceIn, patternIn } from './lamp-words.ts'

interface Step {
  readonly id: string
  readonly command: {
    readonly type: string
    readonly name?: string
    readonly params?: Readonly<Record<string, unknown>>
  }
  readonly duration: number | null
}

interface Program {
  readonly name: string
  readonly steps: readonly Step[]
  readonly loop?: unknown
}

/** The reader drives a lamp where the instructions, or the form of the reply, want a program. */
export const lampAnswer: ReaderAnswer = question => {
  const { system, format } = question
  const isWanted =
    format === undefined || typeof format === 'string'
      ? format === 'json' || /\bJSON program\b|"program"\s*:\s*\{/i.test(system)
      : Object.hasOwn((format.properties as object | undefined) ?? {}, 'program')
  return isWanted ? lampProgram(question) : undefined
}

/**
 * A program for a lamp, from the words of the request: colours and patterns. `slower`, `make it blue` and the like
 * change the newest program that is in view in full; when there is none, the words alone must do.
 */
function lampProgram({ asked, messages }: ReaderQuestion): string {
  const current = isEdit.test(asked) ? newestProgram(messages) : undefined
  const program = current === undefined ? newProgram(asked) : edit(current, asked)
  return JSON.stringify({ program })
}

const isEdit =
  /\b(?:slow\w*|fast\w*|quick\w*|it|that|instead|same|again|change\w*|keep|more|less|bright\w*|dim\w*|still|also)\b/i

const white = ['#FFFFFF']

function newProgram(asked: string): Program {
  const name = asked.replace(/\s+/g, ' ').trim().slice(0, 40)
  if (/\b(?:turn|switch)(?: it| the lamp| the light)? off\b|\bstop\b/i.test(asked)) {
    return { name, steps: [{ id: '1', command: { type: 'stop' }, duration: null }] }
  }
  const params = { ...paramsFor(coloursIn(asked, white)), speed: paceIn(asked) }
  const command = { type: 'pattern', name: patternIn(asked) ?? 'solid', params }
  return { name, steps: [{ id: '1', command, duration: null }] }
}

/** Every step keeps what the request does not name. */
function edit(program: Program, asked: string): Program {
  const named = coloursIn(asked, [])
  const pattern = patternIn(asked)
  const pace = paceIn(asked)
  const steps = program.steps.map(step => {
    if (step.command?.type !== 'pattern') return step
    const { speed = 1, ...old } = step.command.params ?? {}
    const params = { ...old, ...paramsFor(named), speed: Number(speed) * pace }
    const name = pattern ?? step.command.name ?? 'solid'
    const duration = typeof step.duration === 'number' ? Math.round(step.duration / pace) : step.duration
    return { ...step, command: { ...step.command, name, params }, duration }
  })
  return { ...program, steps }
}

function paramsFor([color, second]: readonly string[]): Readonly<Record<string, string>> {
  if (color === undefined) return {}
  return second === undefined ? { color } : { color, color2: second }
}

/** A digest tells of a program but is none: only one that can be read whole can be changed. */
function newestProgram(messages: ReaderQuestion['messages']): Program | undefined {
  for (const { role, text } of messages.toReversed()) {
    const start = text.search(/\{\s*"program"\s*:/)
    // What the instructions show is an example.
    if (start < 0 || role === 'system') continue
    let end = text.lastIndexOf('}')
    for (let tries = 0; tries < mostTries && end > start; tries++) {
      const program = parseProgram(text.slice(start, end + 1))
      if (program !== undefined) return program
      end = text.lastIndexOf('}', end - 1)
    }
  }
  return undefined
}

/** Prose after a program may have braces of its own, but not many. */
const mostTries = 8

function parseProgram(json: string): Program | undefined {
  try {
    const { program } = JSON.parse(json) as { program?: Program }
    return Array.isArray(program?.steps) ? program : undefined
  } catch {
    return undefined
  }
}
