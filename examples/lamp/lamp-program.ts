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

/** Lets the reader drive a lamp if the instructions, or the format of the reply, ask for a program. */
export const lampAnswer: ReaderAnswer = question => {
  const { system, format } = question
  const isWanted =
    format === undefined || typeof format === 'string'
      ? format === 'json' || /\bJSON program\b|"program"\s*:\s*\{/i.test(system)
      : Object.hasOwn((format.properties as object | undefined) ?? {}, 'program')
  return isWanted ? lampProgram(question) : undefined
}

/**
 * Makes a program for a lamp from the words of the request: colours and patterns. `slower`, `make it blue` and the like
 * change the newest complete program in the context, if there is one.
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

/** Changes a program; its steps keep what the request does not name. */
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

/** The newest complete program in the context. A digest only tells of a program, and cannot be changed. */
function newestProgram(messages: ReaderQuestion['messages']): Program | undefined {
  for (const { role, text } of messages.toReversed()) {
    const start = text.search(/\{\s*"program"\s*:/)
    // The program in the instructions is only an example.
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

/** How many closing braces are tried: the text after a program may have a few of its own. */
const mostTries = 8

function parseProgram(json: string): Program | undefined {
  try {
    const { program } = JSON.parse(json) as { program?: Program }
    return Array.isArray(program?.steps) ? program : undefined
  } catch {
    return undefined
  }
}
