import type { Command, PatternCommand, Program, Step } from '../program.ts'
import { offIn } from './new-program.ts'
import { recolourFor, relight } from './recolour.ts'
import { levelIn, paceIn, patternIn, timesIn } from './words.ts'

/**
 * Changes a program as a request says; what the request does not name stays. Undefined where the rules understand nothing
 * of it.
 */
export function editProgram(program: Program, request: string): Program | undefined {
  const off = offIn(request)
  if (off) return { ...off, name: program.name }
  const changed = editSteps(editOrder(program, request), request)
  const times = timesIn(request)
  const edited = times === undefined ? changed : { ...changed, ...repeated(changed.steps, times) }
  return JSON.stringify(edited) === JSON.stringify(program) ? undefined : edited
}

function editOrder(program: Program, request: string): Program {
  const { steps } = program
  if (/\breverse|\bbackwards\b|\bother way/i.test(request) && steps.length > 1) {
    const ids = steps.map(({ id }) => id)
    return { ...program, steps: steps.toReversed().map((step, at) => ({ ...step, id: ids[at]! })) }
  }
  if (!/\b(?:remove|delete|drop)\b.*\blast\b/i.test(request) || steps.length < 2) return program
  const rest = steps.slice(0, -1)
  return { ...program, steps: rest, ...(program.loop && repeated(rest, program.loop.count)) }
}

function editSteps(program: Program, request: string): Program {
  const change = {
    pattern: patternIn(request),
    pace: paceIn(request),
    level: levelIn(request),
    recolour: recolourFor(request),
  }
  const chosen = chosenStep(request, program.steps.length)
  const steps = program.steps.map((step, at) =>
    chosen === undefined || chosen === at ? editStep(step, change) : step,
  )
  return { ...program, steps }
}

interface Change {
  readonly pattern: PatternCommand['name'] | undefined
  readonly pace: number
  readonly level: number
  readonly recolour: (command: Command) => Command
}

function editStep(step: Step, change: Change): Step {
  const duration = step.duration === null ? null : Math.max(50, Math.round(step.duration / change.pace))
  return { ...step, command: editCommand(step.command, change), duration }
}

function editCommand(given: Command, { pattern, pace, level, recolour }: Change): Command {
  const command = recolour(given)
  if (command.type === 'stop') return command
  if (command.type === 'render') return relight(command, level)
  const { speed = 1, brightness = 1, ...colours } = command.params
  const params = { ...colours, speed: clamp(speed * pace, 0.1, 10) }
  const lit = clamp(brightness * level, 0.05, 1)
  return {
    ...command,
    // A rainbow has no colour of its own: with one it becomes a wave.
    name: pattern ?? (command.name === 'rainbow' && colours.color ? 'wave' : command.name),
    params: lit === 1 ? params : { ...params, brightness: lit },
  }
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth']

/** The one step that a request speaks of: "change the second step to red". */
function chosenStep(request: string, count: number): number | undefined {
  const [, word] = /\b(first|second|third|fourth|fifth|last) (?:step|part|one|colou?r)\b/i.exec(request) ?? []
  if (word === undefined) return undefined
  const at = word.toLowerCase() === 'last' ? count - 1 : ordinals.indexOf(word.toLowerCase())
  return at < count ? at : undefined
}

/** Steps that stay for ever cannot be repeated: they get three seconds. */
function repeated(steps: readonly Step[], count: number): Pick<Program, 'steps' | 'loop'> {
  return {
    steps: steps.map(step => ({ ...step, duration: step.duration ?? 3000 })),
    loop: { count, start_step: steps[0]!.id, end_step: steps.at(-1)!.id },
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, value)) * 1000) / 1000
}
