import type { Command, PatternCommand, Program, Step } from '../program.ts'
import { chosenSteps } from './chosen-steps.ts'
import { commandIn, offIn } from './new-program.ts'
import { recolourFor, relight } from './recolour.ts'
import { durationIn, levelIn, paceIn, patternIn, timesIn } from './words.ts'

/**
 * Changes a program as a request says; what the request does not name stays. Undefined where the rules understand nothing
 * of it.
 */
export function editProgram(program: Program, request: string): Program | undefined {
  const off = offIn(request)
  if (off) return { ...off, name: program.name }
  if (holdsStill.test(request)) return heldStill(program)
  const loop = loopOfSteps(program, request)
  if (loop) return loop
  // A step that is not there must not become all of them.
  if (!adds.test(request) && chosenSteps(request, program.steps) === 'missing') return undefined
  const added = addStep(program, request)
  if (added) return added
  const ordered = editOrder(program, request)
  const changed = removes.test(request) ? ordered : editSteps(ordered, request)
  const times = timesIn(request)
  const edited = times === undefined ? changed : { ...changed, ...repeated(changed.steps, times) }
  return JSON.stringify(edited) === JSON.stringify(program) ? undefined : edited
}

const holdsStill =
  /\b(?:stop|quit) (?:moving|blinking|flashing|pulsing|flickering|dancing|turning|sparkling)\b|\b(?:hold|stand|keep|stay) (?:it )?still\b|\bfreeze\b|\bstillhalten\b|\bbeweg dich nicht\b|\bne bouge plus\b|\barrête de (?:bouger|clignoter)\b/iu

/** One colour that stays, of the first step that has one; a drawing stays as it is. */
function heldStill(program: Program): Program | undefined {
  const commands = program.steps.map(({ command }) => command)
  const command = commands.find(({ type }) => type !== 'stop')
  if (!command || command.type === 'stop') return undefined
  const still: Command =
    command.type === 'render'
      ? {
          ...command,
          elements: command.elements.map(one =>
            one.type === 'text' ? { ...one, scroll: false } : one,
          ),
        }
      : {
          type: 'pattern',
          name: 'solid',
          params: {
            color: command.params.color ?? '#FFFFFF',
            ...(command.params.brightness !== undefined && {
              brightness: command.params.brightness,
            }),
          },
        }
  const held = { name: program.name, steps: [{ id: '1', command: still, duration: null }] }
  return JSON.stringify(still) === JSON.stringify(command) && program.steps.length === 1
    ? undefined
    : held
}

/** `loop steps 2 to 3 four times` */
function loopOfSteps(program: Program, request: string): Program | undefined {
  const [, from, to] =
    /\b(?:loop|repeat|wiederhole|répète)\b.{0,20}?\b(\d{1,2}) (?:to|and|through|bis|und|à|et) (?:step )?(\d{1,2})\b/iu.exec(
      request,
    ) ?? []
  if (from === undefined) return undefined
  const [first, last] = [program.steps[Number(from) - 1], program.steps[Number(to) - 1]]
  if (!first || !last || Number(from) > Number(to)) return undefined
  const { steps } = repeated(program.steps, 0)
  return {
    ...program,
    steps,
    loop: { count: timesIn(request) ?? 0, start_step: first.id, end_step: last.id },
  }
}

/** The most steps that a program has. */
const mostSteps = 20
const addedMs = 1500

const adds = /\b(?:add|append|insert|put|start with|end with|begin with|füge?|ajoute)\b(.*)$/i

/** `add a white flash at the end`, `start with a rainbow`, `add a red pulse after the wave` */
function addStep(program: Program, request: string): Program | undefined {
  const words = adds.exec(request)?.[1]
  const { steps } = program
  if (words === undefined || steps.length >= mostSteps) return undefined
  const [thing = '', after] = words.split(/\b(?:after|behind|following)\b/i)
  const command = commandIn(
    thing.replace(/\b(?:at|to|in) the (?:very )?(?:end|start|beginning)\b/i, ''),
  )
  if (!command) return undefined
  const behind = after === undefined ? undefined : chosenSteps(after, steps)
  if (behind === 'missing') return undefined
  const isFirst = /\b(?:start|begin)/i.test(request)
  const place = behind ? steps.findLastIndex(behind.isChosen) + 1 : isFirst ? 0 : steps.length
  const step = { id: '', command, duration: durationIn(words) ?? addedMs }
  const row = [...steps.slice(0, place), step, ...steps.slice(place)]
  const numbered = row.map((one, at) => ({ ...one, id: String(at + 1) }))
  const loop = program.loop ?? undefined
  // What stayed for ever now ends, so that the new step is seen: then all of it plays again.
  return { ...program, ...repeated(numbered, loop?.count ?? 0) }
}

const removes =
  /\b(?:remove|delete|drop|take out|get rid|without|turn off|entferne|enlève|supprime|ohne|sans)\b/i

function editOrder(program: Program, request: string): Program {
  const { steps } = program
  if (/\breverse|\bbackwards\b|\bother way/i.test(request) && steps.length > 1) {
    const ids = steps.map(({ id }) => id)
    return { ...program, steps: steps.toReversed().map((step, at) => ({ ...step, id: ids[at]! })) }
  }
  if (!removes.test(request)) return program
  const isLast = /\blast\b|\bletzte|\bderni[eè]r/i.test(request)
  const gone = isLast ? undefined : chosenSteps(request, steps)
  if (gone === 'missing') return program
  const rest = isLast ? steps.slice(0, -1) : steps.filter((step, at) => !gone?.isChosen(step, at))
  if (rest.length === 0 || rest.length === steps.length) return program
  return { ...program, steps: rest, ...(program.loop && repeated(rest, program.loop.count)) }
}

function editSteps(program: Program, request: string): Program {
  const chosen = chosenSteps(request, program.steps)
  if (chosen === 'missing') return program
  const wish = chosen?.rest ?? request
  const change = {
    pattern: patternIn(wish),
    pace: paceIn(wish),
    level: levelIn(wish),
    duration: durationIn(wish),
    recolour: recolourFor(wish),
  }
  const steps = program.steps.map((step, at) =>
    chosen === undefined || chosen.isChosen(step, at) ? editStep(step, change) : step,
  )
  return { ...program, steps }
}

interface Change {
  readonly pattern: PatternCommand['name'] | undefined
  readonly pace: number
  readonly level: number
  readonly duration: number | undefined
  readonly recolour: (command: Command) => Command
}

function editStep(step: Step, change: Change): Step {
  const faster =
    step.duration === null ? null : Math.max(50, Math.round(step.duration / change.pace))
  return {
    ...step,
    command: editCommand(step.command, change),
    duration: change.duration ?? faster,
  }
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
