import type { PatternCommand } from '../program.ts'

/** What the rules of the lamp understand: names of colours and patterns, speeds, numbers. */

const colours: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '#FF0000': 'red rot rojo roja rouge',
    '#FF8000': 'orange naranja',
    '#FFBF00': 'amber gold golden gelbgold dorado',
    '#FFFF00': 'yellow gelb amarillo jaune',
    '#00FF00': 'green grün gruen verde vert',
    '#00FFFF': 'cyan',
    '#008080': 'teal',
    '#40E0D0': 'turquoise türkis',
    '#0000FF': 'blue blau azul bleu',
    '#4B0082': 'indigo',
    '#800080': 'purple lila morado',
    '#8000FF': 'violet violett violeta',
    '#FF69B4': 'pink rosa rose',
    '#FF00FF': 'magenta',
    '#FFFFFF': 'white weiß weiss blanco blanc',
    '#FFD6AA': 'warm cozy cosy',
    '#CFE8FF': 'cold cool',
    '#000000': 'black schwarz negro noir',
  }).flatMap(([hex, names]) => names.split(' ').map(name => [name, hex] as const)),
)

const patterns: readonly (readonly [words: RegExp, name: PatternCommand['name']])[] = [
  [/\bgradient|\bfad(?:e|ing)\b/i, 'gradient'],
  [/\bbreath|\bswell|\bcalm/i, 'breathing'],
  [/\bwav(?:e|ing)|\bwelle|\bola\b|\bvague/i, 'wave'],
  [/\brainbow|\bregenbogen|\barco ?iris|\barc-en-ciel/i, 'rainbow'],
  [/\bpuls|\bblink|\bflash|\bstrobe|\bbeat/i, 'pulse'],
  [/\bsparkl|\bglitter|\btwinkl|\bstarr?y?s?\b|\bstars\b/i, 'sparkle'],
  [/\bsolid|\bplain|\bsteady|\bconstant/i, 'solid'],
]

/** The colours that a text names, as hex, in its order. */
export function coloursIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/#[0-9a-f]{6}\b|\p{L}+/gu) ?? []
  return words.flatMap(word =>
    word.startsWith('#') ? [word.toUpperCase()] : (colours.get(word) ?? []),
  )
}

/** The pattern that a text asks for. */
export function patternIn(text: string): PatternCommand['name'] | undefined {
  return patterns.find(([words]) => words.test(text))?.[1]
}

/** How much faster than before: 0.5 is half as fast; 1 if the text says nothing of speed. */
export function paceIn(text: string): number {
  const isSlow = /\bslow|\bcalmer|\bgentler|\blangsam|\bruhiger|\blent|\bdoucement/i.test(text)
  const isFast =
    /\bfast|\bquick|\bspeed (?:it )?up|\bdouble the speed|\bschnell|\brápid|\brapid|\bvite/i.test(
      text,
    )
  if (isSlow === isFast) return 1
  // "not so fast", "too fast"
  const isTooMuch = /\b(?:too|not so|nicht so|zu|demasiado|trop) \p{L}+/iu.test(text)
  const isALot = /\bmuch\b|\ba lot\b|\bviel\b|\bmucho\b|\bbeaucoup\b/i.test(text)
  const factor = isALot ? 4 : 2
  return isFast !== isTooMuch ? factor : 1 / factor
}

/** How much brighter than before; 1 if the text says nothing of brightness. */
export function levelIn(text: string): number {
  if (
    /\btoo bright|\bdim|\bdarker|\bsofter|\bdunkler|\bsanfter|\bsombre|\bhalf as bright/i.test(text)
  )
    return 0.5
  return /\btoo dark|\bbright|\bheller|\bplus clair|\bbrillante/i.test(text) ? 2 : 1
}

const numbers = ['once', 'twice', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const foreign: readonly (readonly string[])[] = [
  'ein eine einen einmal un une'.split(' '),
  'zwei zweimal deux dos'.split(' '),
  'drei dreimal trois tres'.split(' '),
  'vier viermal quatre cuatro'.split(' '),
  'fünf fünfmal cinq cinco'.split(' '),
]

/** How often a text wants it: "three times" is 3, "forever" 0. */
export function timesIn(text: string): number | undefined {
  if (/\bfor ?ever\b|\bendless|\ball the time\b|\bendlos\b|\bimmer\b|\bsans fin\b/i.test(text))
    return 0
  if (/\b(?:stop|no|without|don'?t) (?:loop|repeat)/i.test(text)) return 1
  const [, digits, word] =
    /(?<![\p{L}\p{N}])(?:(\d{1,4})|(\p{L}+)) ?(?:times|mal|fois|veces)\b/iu.exec(text) ?? []
  if (digits !== undefined) return Number(digits)
  const named = (word ?? /\b(?:once|twice)\b/i.exec(text)?.[0] ?? '').toLowerCase()
  const at = Math.max(
    numbers.indexOf(named),
    foreign.findIndex(words => words.includes(named)),
  )
  return at < 0 ? undefined : at + 1
}

const units: readonly (readonly [words: RegExp, ms: number])[] = [
  [/^(?:ms|millisecond|millisekunde)/i, 1],
  [/^(?:s$|sec|sek|segundo|second)/i, 1000],
  [/^(?:min)/i, 60_000],
]
const small = ['a', 'two', ...numbers.slice(2)]

/** How long a text wants something to last, in milliseconds: "last 3 seconds", "for half a second", "500 ms". */
export function durationIn(text: string): number | undefined {
  const [, half, digits, word, unit] =
    /\b(?:(half) an? |(\d{1,5}(?:\.\d)?) ?|(\p{L}+) )(ms|s|sec\p{L}*|sek\p{L}*|seg\p{L}*|min\p{L}*|mill?i\p{L}*)\b/iu.exec(
      text,
    ) ?? []
  const ms = units.find(([words]) => words.test(unit ?? ''))?.[1]
  if (ms === undefined) return undefined
  const count = half ? 0.5 : digits !== undefined ? Number(digits) : countOf(word)
  return count === undefined
    ? undefined
    : Math.min(86_400_000, Math.max(50, Math.round(count * ms)))
}

function countOf(word = 'a'): number | undefined {
  const plain = word.toLowerCase().replace(/^(?:one|an)$/, 'a')
  const at = Math.max(
    small.indexOf(plain),
    foreign.findIndex(words => words.includes(plain)),
  )
  return at < 0 ? undefined : at + 1
}
