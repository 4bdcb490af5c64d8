import { summarizeProgram } from 'throughline/digests'
import {
  bareText,
  chipsFor,
  isNegated,
  isQuestion,
  type Understanding,
} from '../../shared/understanding.ts'
import { findReturn, returnIn } from '../earlier.ts'
import { decide } from '../follow-up.ts'
import { articles, comparatives, makers, newThings } from '../follow-up-words.ts'
import { type Program, readProgram } from '../program.ts'
import type { Exchange } from '../scenes.ts'
import { chosenSteps } from './chosen-steps.ts'
import { editProgram } from './edit-program.ts'
import { unknownWords } from './known-words.ts'
import { newProgram } from './new-program.ts'
import { sceneWordsIn } from './scenes.ts'
import { coloursIn, levelIn, paceIn, patternIn } from './words.ts'

/** What the rules know when they read a request. */
export interface LampState {
  /** The program that plays, and the one before it. */
  readonly program?: Program | undefined
  readonly before?: Program | undefined
  /** What was played so far, if the log is at hand: a context has only a part of it. */
  readonly exchanges?: readonly Exchange[]
}

export type LampIntent =
  | { readonly kind: 'play'; readonly program: Program }
  /** A question is answered, or the lamp stays as it is: nothing else plays. */
  | { readonly kind: 'say'; readonly text: string }

/** How the lamp is understood. A scene is only replaced by a request that names another one, in words that are all known. */
export const lampUnderstanding: Understanding<LampState, LampIntent> = {
  read,
  // A chip does something.
  ideas: state => ideas(state).filter(idea => read(idea, state)?.kind === 'play'),
}

function read(text: string, state: LampState): LampIntent | undefined {
  const bare = bareText(text)
  if (bare === '' || leaves.test(bare)) return { kind: 'say', text: 'The lamp stays as it is.' }
  if (isQuestion(text)) return tell(bare, state)
  const wish = returnIn(text)
  if (wish) return play(wish.name === undefined ? state.before : namedIn(wish, state))
  if (
    isNegated(text) &&
    !/\b(?:stop|no|don't) (?:loop|repeat)|\bbeweg dich nicht\b|\bne bouge plus\b/u.test(bare)
  )
    return undefined
  return play(programFor(text, state)) ?? atLimit(text, state)
}

/** What is as slow or as bright as it can be is understood, and stays. */
function atLimit(text: string, { program }: LampState): LampIntent | undefined {
  const isMeasured = paceIn(text) !== 1 || levelIn(text) !== 1
  if (!program || !isMeasured || chosenSteps(text, program.steps) === 'missing') return undefined
  if (!isChange(text, program) || unknownWords(bareText(text).split(' ')) > mostUnknown)
    return undefined
  return { kind: 'say', text: 'I cannot change that any further, so the lamp goes on as it was.' }
}

const leaves =
  /^(?:it's|that's|this is|das ist|c'est) (?:lovely|nice|fine|good|great|beautiful|schön|gut|beau|joli)$|^(?:leave|keep|let) (?:it|that|this|everything)(?: be| alone| like (?:that|this)| as it is)?$|^(?:stay|hold on|nothing|never mind|no|nope|nein|non|rien|lass es(?: so)?|laisse)$|^(?:don't|do not) (?:change|touch|do) (?:anything|it|that)$/u

const play = (program: Program | undefined): LampIntent | undefined =>
  program && { kind: 'play', program }

function tell(bare: string, { program }: LampState): LampIntent | undefined {
  if (
    /^(?:what|wie|was|que|comment|how)\b.*\b(?:can|could|do|know|kannst|weißt|sais|peux)\b/u.test(
      bare,
    )
  )
    return { kind: 'say', text: whatIKnow }
  const isOfProgram =
    /\b(?:play|playing|plays|on|see|this|that|step|steps|now|läuft|spielt|das|joue|ça)\b/u.test(
      bare,
    )
  if (!isOfProgram) return undefined
  const text = program ? `This plays: ${summarizeProgram(program)}.` : 'Nothing plays yet.'
  return { kind: 'say', text }
}

const whatIKnow =
  'I am a few rules, not a model. I know colours, patterns (solid, gradient, breathing, wave, rainbow, pulse, sparkle), scenes such as a thunderstorm, words to write, and changes of all or of one step.'

function namedIn(
  wish: { readonly name?: string },
  { exchanges = [] }: LampState,
): Program | undefined {
  const exchange = findReturn(exchanges, wish)
  return exchange && readProgram(exchange.reply).program
}

function programFor(text: string, { program, before }: LampState): Program | undefined {
  // There is nothing to change in a lamp that is off: what it played before is meant.
  const current = program && isOff(program) ? (before ?? program) : program
  if (program && isOff(program) && turnsOn(text)) return before
  if (current && isChange(text, current)) {
    const isClear = unknownWords(bareText(text).split(' ')) <= mostUnknown
    return isClear ? editProgram(current, text) : undefined
  }
  return isFirm(text, current !== undefined) ? newProgram(text) : undefined
}

const mostUnknown = 2

export const isOff = ({ steps }: Program) => steps.every(({ command }) => command.type === 'stop')

/** "on again", said to a lamp that is off */
export const turnsOn = (text: string) =>
  /^(?:(?:turn|switch) (?:it |the (?:lamp|light) )?(?:back )?on|(?:turn|switch) on(?: it| the (?:lamp|light))?|on|resume|continue|an|mach (?:es )?(?:wieder )?an|rallume|allume)$/u.test(
    bareText(text),
  )

function isChange(text: string, program: Program): boolean {
  const bare = bareText(text)
  // "Slow waves" is a thing, "slow it down" a change.
  if (/^(?:slow|fast|quick) (?!down\b|it\b|the\b)/.test(bare) && patternIn(bare)) return false
  if (decide(bare, true).kind === 'follow-up') return true
  const words = bare.split(' ')
  const begins = (phrases: readonly string[]) =>
    phrases.some(phrase => `${bare} `.startsWith(`${phrase} `))
  // "I would like something calmer" begins like a new request, and measures what plays.
  if (begins(newThings) || articles.has(words[0] ?? '')) return false
  if (words.some(word => comparatives.has(word))) return true
  if (begins(makers)) return false
  const isOfStep =
    /^make\b|^the (?:letters?|text|words?|colou?rs?|speed|loop|whole)\b|\b(?:step|schritt|étape|paso) \S/u.test(
      bare,
    )
  return (
    isOfStep || (typeof chosenSteps(text, program.steps) === 'object' && program.steps.length > 1)
  )
}

/** Whether a request says clearly that it wants a thing: by its beginning, or because every word of it is known. */
function isFirm(text: string, isPlaying: boolean): boolean {
  const words = bareText(text).split(' ')
  const beginning = `${words.join(' ')} `
  if (/^(?:write|say|display|print|schreib|schreibe|escribe|écris|count ?down) /u.test(beginning))
    return true
  const isCalledFor =
    articles.has(words[0] ?? '') ||
    [...makers, ...newThings].some(phrase => beginning.startsWith(`${phrase} `)) ||
    /^(?:how|what) about (?:a|an|the|some) |^why not /.test(beginning)
  return unknownWords(words) <= (isCalledFor ? 3 : isPlaying ? 0 : 1)
}

const names: Readonly<Record<string, string>> = {
  '#FF0000': 'red',
  '#FF8000': 'orange',
  '#FFFF00': 'yellow',
  '#00FF00': 'green',
  '#0000FF': 'blue',
  '#8000FF': 'violet',
  '#FF69B4': 'pink',
  '#FFFFFF': 'white',
  '#FFD6AA': 'warm',
}

/** The sentences that are offered: the steps, colours and times that play, and what the log can bring back. */
function ideas(state: LampState): readonly string[] {
  const { program, exchanges = [] } = state
  if (!program) return ['a thunderstorm', 'blue waves', 'a red heart', 'write HELLO']
  if (isOff(program)) return ['turn it on again', ...scenes, 'write HELLO', ...returnsIn(exchanges)]
  const { steps } = program
  const patterns = steps.flatMap(({ command }) =>
    command.type === 'pattern' && steps.length > 1 ? [command] : [],
  )
  const named = patterns.find(({ name }) => patterns.filter(one => one.name === name).length === 1)
  const colour = named?.params.color?.toUpperCase() === '#00FF00' ? 'blue' : 'green'
  const slow = steps.findIndex(({ duration }) => duration !== 5000)
  const scene = scenes.find(one => !program.name.includes(one.replace('a ', '')))!
  return [
    ...(named
      ? [`make the ${named.name} ${colour}`]
      : [`make it ${isAll(steps, '#0000FF') ? 'green' : 'blue'}`]),
    ...(steps.length > 1 && slow >= 0 ? [`let step ${slow + 1} last 5 seconds`] : ['a bit slower']),
    'stop moving',
    scene,
    ...returnsIn(exchanges),
    'undo',
    'turn it off',
  ]
}

const scenes = ['a campfire', 'a sunset', 'a thunderstorm']

const isAll = (steps: Program['steps'], colour: string) =>
  steps.every(({ command }) => command.type === 'pattern' && command.params.color === colour)

/** The newest thing that was asked for by its name and does not play any more. */
function returnsIn(exchanges: readonly Exchange[]): readonly string[] {
  const begun = exchanges.filter(({ kind, summary }) => kind === 'new' && summary !== undefined)
  const name = begun.at(-2)?.asked.toLowerCase() ?? ''
  const thing = name.replace(/^(?:an?|the|eine?|une?) /, '')
  return /^[\p{L} ]{3,24}$/u.test(thing) ? [`back to the ${thing}`] : []
}

/** What a text that was not understood may have meant, then what is always offered. */
export function suggestionsFor(text: string, state: LampState): readonly string[] {
  const [colour] = coloursIn(text)
  const [pace, level] = [paceIn(text), levelIn(text)]
  const { program } = state
  const near = isNegated(text)
    ? []
    : [
        ...sceneWordsIn(text),
        ...(colour && names[colour] ? [program ? `make it ${names[colour]}` : names[colour]] : []),
        ...(pace === 1 ? [] : [pace > 1 ? 'faster' : 'a bit slower']),
        ...(level === 1 ? [] : [level > 1 ? 'brighter' : 'dim it']),
        ...(/\bsoft|\bsanft|\bdou[cx]|\bgentl|\bmellow|\bgemütlich|\bcozy|\bcosy/iu.test(text)
          ? ['dim it', 'make it warm']
          : []),
      ]
  return chipsFor({ ideas: all => [...near, ...ideas(all)], read }, state)
}
