import { bareText } from '../../shared/understanding.ts'
import type { Command, Program } from '../program.ts'
import { recolourFor } from './recolour.ts'
import { pattern, sceneIn, toProgram, words } from './scenes.ts'
import { coloursIn, paceIn, patternIn, timesIn } from './words.ts'

/** Makes a program from the words of a request; undefined where the rules understand none of them. */
export function newProgram(request: string): Program | undefined {
  const name = (request.length > 40 ? bareText(request) : request)
    .replace(/^something new: */i, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 40)
  const made = offIn(request) ?? textIn(request) ?? countdownIn(request) ?? sequenceIn(request)
  const program = made ?? sceneOf(request) ?? patternOf(request)
  return program && { ...program, name }
}

type Made = Omit<Program, 'name'> | undefined

/** Only all of a request switches the lamp off: "stop moving" and "turn off the sparkle" want something else. */
export function offIn(request: string): Made {
  return offWords.test(bareText(request)) ? toProgram('', [[{ type: 'stop' }, null]]) : undefined
}

const offWords =
  /^(?:(?:turn|switch|power) (?:it |everything |(?:the |that )?(?:lamp|lights?|leds?) )?off|(?:turn|switch) off(?: it| everything| all| (?:the |that )?(?:lamp|lights?|leds?))?|off|stop(?: it)?|lights? (?:off|out)|aus|ausschalten|(?:mach|schalte?) (?:es |sie |alles |(?:das |die )?(?:licht|lampe) )?aus|apaga(?: la (?:luz|lámpara))?|éteins(?: tout| la (?:lampe|lumière))?)$/u

/** `write HELLO`, `say "good night" in red` */
function textIn(request: string): Made {
  const quoted = /["“”«»]([^"“”«»]{1,120})["“”«»]/u.exec(request)?.[1]
  const said =
    /^\W*(?:please )?(?:write|say|display|show|print|schreibe?|zeige?|escribe)(?: the)?(?: words?| letters?| text)? (.{1,120})$/iu.exec(
      request,
    )?.[1]
  // Without quotes, only words in capitals are meant as they stand: "show HELLO", but "show me a sunset".
  const capitals = said?.match(/^[\p{Lu}\p{N}!?.,:'’ -]{2,}(?=\s|$)/u)?.[0].trim()
  const plain = /^\W*(?:write|say)\b/i.test(request)
    ? said?.replace(/ in \p{L}+$/iu, '')
    : undefined
  const text = quoted ?? capitals ?? plain
  return text ? toProgram('', [[words(text, coloursIn(request)[0] ?? '#FFFFFF'), null]]) : undefined
}

function countdownIn(request: string): Made {
  const from = Number(
    /\bcount ?down(?: from)? (\d{1,2})\b/i.exec(request)?.[1] ??
      (/\bcount ?down\b/i.test(request) ? 3 : 0),
  )
  if (from < 1) return undefined
  const count = Math.min(from, 15)
  const color = coloursIn(request)[0] ?? '#FFD020'
  const steps = Array.from(
    { length: count },
    (_, at) => [words(String(count - at), color), 1000] as const,
  )
  return toProgram('', [
    ...steps,
    [pattern('pulse', '#FFFFFF'), 2000],
    [pattern('solid', color), null],
  ])
}

/** `red, then yellow, then green, three times` */
function sequenceIn(request: string): Made {
  const parts = request.split(/\bthen\b|\bdann\b|\bluego\b|\bpuis\b/i)
  if (parts.length < 2) return undefined
  const commands = parts.flatMap((part): readonly Command[] => {
    const scene = offIn(part) ?? sceneOf(part) ?? patternOf(part)
    return scene ? [scene.steps[0]!.command] : []
  })
  if (commands.length < 2) return undefined
  return toProgram(
    '',
    commands.slice(0, 20).map(command => [command, 2000]),
    timesIn(request) ?? 0,
  )
}

/** A scene; one of a single step takes the colours of the request: "a blue heart". */
function sceneOf(request: string): Made {
  const scene = sceneIn(request)
  const times = timesIn(request)
  if (!scene) return undefined
  const recolour = scene.steps.length === 1 ? recolourFor(request) : (command: Command) => command
  const parts = scene.steps.map(({ command, duration }) => [recolour(command), duration] as const)
  if (times === undefined) return toProgram('', parts, scene.loop?.count)
  return toProgram(
    '',
    parts.map(([command, duration]) => [command, duration ?? 3000]),
    times,
  )
}

/** The one command that some words ask for: "a white flash". */
export const commandIn = (words: string): Command | undefined =>
  (offIn(words) ?? textIn(words) ?? sceneOf(words) ?? patternOf(words))?.steps[0]?.command

function patternOf(request: string): Made {
  const [color, color2] = coloursIn(request)
  const named = patternIn(request)
  if (named === undefined && color === undefined) return undefined
  const name = named ?? (color2 === undefined ? 'solid' : 'gradient')
  const command = pattern(
    name,
    name === 'rainbow' ? undefined : (color ?? '#FFFFFF'),
    color2,
    paceIn(request),
  )
  return toProgram('', [[command, null]])
}
