import type { Command, Step } from '../program.ts'
import { coloursIn, patternIn } from './words.ts'

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth']

/** What people call a pattern in a scene: the lightning of a storm is its pulse. */
const nicknames: readonly (readonly [words: RegExp, name: string])[] = [
  [/\blightning\b|\bthe flash(?:es)?\b|\bblitz/i, 'pulse'],
  [/\bthe rain\b|\bthe sparks?\b|\bthe stars?\b/i, 'sparkle'],
]

/** A place in a program that a request speaks of: by number, by pattern or by colour. */
export interface ChosenSteps {
  readonly isChosen: (step: Step, at: number) => boolean
  /** The request without the words that only name the place: "make the red one blue" asks for blue. */
  readonly rest: string
}

/** The steps that a request names: "the second step", "the pulse", "the lightning", "the red one". Undefined if it names none. */
export function chosenSteps(request: string, steps: readonly Step[]): ChosenSteps | undefined {
  return byNumber(request, steps.length) ?? byPattern(request, steps) ?? byColour(request, steps)
}

function byNumber(request: string, count: number): ChosenSteps | undefined {
  const [words, word] =
    /\b(first|second|third|fourth|fifth|last) (?:step|part|one|colou?r)\b/i.exec(request) ?? []
  if (words === undefined || word === undefined) return undefined
  const place = word.toLowerCase() === 'last' ? count - 1 : ordinals.indexOf(word.toLowerCase())
  if (place >= count) return undefined
  return { isChosen: (_, at) => at === place, rest: request.replace(words, '') }
}

function byPattern(request: string, steps: readonly Step[]): ChosenSteps | undefined {
  const [words] = /\bthe \p{L}+/iu.exec(request) ?? []
  if (words === undefined) return undefined
  const name = nicknames.find(([nickname]) => nickname.test(words))?.[1] ?? patternIn(words)
  const isChosen = ({ command }: Step) => command.type === 'pattern' && command.name === name
  // The one pattern of a lamp that plays nothing else is all of it.
  return steps.some(isChosen) ? { isChosen, rest: request.replace(words, '') } : undefined
}

function byColour(request: string, steps: readonly Step[]): ChosenSteps | undefined {
  const [words = '', before] = /\bthe (\p{L}+) (?:step|part|one|light|bit)\b/iu.exec(request) ?? []
  const [colour] = coloursIn(before ?? '')
  const isChosen = ({ command }: Step) => colour !== undefined && coloursOf(command).includes(colour)
  return steps.some(isChosen) ? { isChosen, rest: request.replace(words, '') } : undefined
}

function coloursOf(command: Command): readonly string[] {
  if (command.type === 'stop') return []
  const all =
    command.type === 'pattern'
      ? [command.params.color, command.params.color2]
      : command.elements.map(({ color }) => color)
  return all.flatMap(color => (color === undefined ? [] : [color.toUpperCase()]))
}
