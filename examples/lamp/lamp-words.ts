const colours: ReadonlyMap<string, string> = new Map([
  ['red', '#FF0000'],
  ['orange', '#FF8000'],
  ['amber', '#FFBF00'],
  ['yellow', '#FFFF00'],
  ['green', '#00FF00'],
  ['cyan', '#00FFFF'],
  ['turquoise', '#40E0D0'],
  ['blue', '#0000FF'],
  ['purple', '#800080'],
  ['violet', '#8000FF'],
  ['pink', '#FF69B4'],
  ['magenta', '#FF00FF'],
  ['white', '#FFFFFF'],
  ['warm', '#FFD6AA'],
  ['black', '#000000'],
])

const patterns: readonly (readonly [words: RegExp, name: string])[] = [
  [/\bgradient|\bfad(?:e|ing)|\bsunset/i, 'gradient'],
  [/\bbreath/i, 'breathing'],
  [/\bwav(?:e|ing)|\bocean|\bsea\b/i, 'wave'],
  [/\brainbow/i, 'rainbow'],
  [/\bpuls|\bblink|\bflash|\bthunder/i, 'pulse'],
  [/\bsparkl|\bstars?\b|\bglitter|\bfire/i, 'sparkle'],
  [/\bsolid|\bplain|\bsteady/i, 'solid'],
]

/** The colours that a text names, as hex, in its order; `otherwise` when it names none. */
export function coloursIn(text: string, otherwise: readonly string[] = []): readonly string[] {
  const words = text.toLowerCase().match(/#[0-9a-f]{6}\b|[a-z]+/g) ?? []
  const found = words.flatMap(word =>
    word.startsWith('#') ? [word.toUpperCase()] : (colours.get(word) ?? []),
  )
  return found.length > 0 ? found : otherwise
}

/** The lamp's pattern that a text asks for. */
export function patternIn(text: string): string | undefined {
  return patterns.find(([words]) => words.test(text))?.[1]
}

/** How much faster than before: half as fast, twice, or the same. */
export function paceIn(text: string): number {
  return /\bslow/i.test(text) ? 0.5 : /\b(?:fast|quick)/i.test(text) ? 2 : 1
}
