import type { Command, Step } from '../program.ts'
import { coloursIn, patternIn } from './words.ts'

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')
const counts = 'one two three four five six seven eight nine ten'.split(' ')

/** What people call a pattern in a scene: the lightning of a storm is its pulse. */
const nicknames: readonly (readonly [words: RegExp, name: string])[] = [
  [/\blightnings?\b|\bflash(?:es)?\b|\bblitze?n?\b|\béclairs?\b/i, 'pulse'],
  [/\brain\b|\bsparks?\b|\bstars?\b|\bregen\b|\bfunken\b/i, 'sparkle'],
]

/** Words behind "the" that name no step. */
const wholes =
  /^(?:lamps?|lights?|leds?|whole|all|other|same|opposite|colou?rs?|speed|brightness|loop|program|scene|steps?|parts?|rest|end|start|beginning|time|duration|text|letters?|words?|way|background|thing|lampe|licht|lichter|farben?|ganze|ende|anfang|lumière|couleurs?|tout|fin|début|dernier|dernière|première?|letzten?|ersten?|first|last|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)$/i

/** A place in a program that a request speaks of: by number, by pattern or by colour. */
export interface ChosenSteps {
  readonly isChosen: (step: Step, at: number) => boolean
  /** The request without the words that only name the place: "make the red one blue" asks for blue. */
  readonly rest: string
}

/**
 * The steps that a request names: "the second step", "step 2", "the pulse", "the lightning", "the red one". Undefined if it names none;
 * `missing` if it names one that the program does not have.
 */
export function chosenSteps(
  request: string,
  steps: readonly Step[],
): ChosenSteps | 'missing' | undefined {
  return byNumber(request, steps.length) ?? byColour(request, steps) ?? byPattern(request, steps)
}

function byNumber(request: string, count: number): ChosenSteps | 'missing' | undefined {
  const [words, ordinal, number] =
    /\b(?:(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|ersten?|zweiten?|dritten?|vierten?|letzten?) (?:step|part|one|colou?r|schritt)\b|(?:step|part|schritt|étape|paso) (?:number |no )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)\b)/iu.exec(
      request,
    ) ?? []
  if (words === undefined) return undefined
  const word = (ordinal ?? number ?? '').toLowerCase()
  const german = word.replace(/n$/, '')
  const spelled = Math.max(
    ordinals.indexOf(word),
    counts.indexOf(word),
    ['erste', 'zweite', 'dritte', 'vierte'].indexOf(german),
  )
  const place =
    word === 'last' || german === 'letzte'
      ? count - 1
      : /^\d/.test(word)
        ? Number(word) - 1
        : spelled
  if (place < 0 || place >= count) return 'missing'
  return { isChosen: (_, at) => at === place, rest: request.replace(words, '') }
}

/** A step by what plays in it. Without "the" only at the beginning: "pulse faster", but "make it pulse". */
function byPattern(request: string, steps: readonly Step[]): ChosenSteps | 'missing' | undefined {
  const named = [
    ...request.matchAll(
      /\b(?:the|der|die|das|den|le|la|les|el|las|los) (\p{L}+)(?: (?=(\p{L}+)))?/giu,
    ),
  ]
  const front = steps.length > 1 ? /^\W*(\p{L}+)\b/u.exec(request) : null
  for (const [words, ...nouns] of front ? [...named, front] : named) {
    const name = nouns.map(patternOf).find(Boolean)
    const isChosen = ({ command }: Step) => command.type === 'pattern' && command.name === name
    // The one pattern of a lamp that plays nothing else is all of it.
    if (name && steps.some(isChosen)) return { isChosen, rest: request.replace(words, '') }
  }
  const isThing = (noun = '') => !wholes.test(noun) && coloursIn(noun).length === 0
  return named.some(([, noun]) => isThing(noun)) ? 'missing' : undefined
}

const patternOf = (noun = '') =>
  nicknames.find(([words]) => words.test(noun))?.[1] ?? patternIn(noun)

function byColour(request: string, steps: readonly Step[]): ChosenSteps | undefined {
  const [words = '', before] = /\bthe (\p{L}+) (?:step|part|one|light|bit)\b/iu.exec(request) ?? []
  const [colour] = coloursIn(before ?? '')
  const isChosen = ({ command }: Step) =>
    colour !== undefined && coloursOf(command).includes(colour)
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
