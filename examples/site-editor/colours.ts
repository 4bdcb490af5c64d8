/** The colours that the rules know by name. */
const colours: Readonly<Record<string, string>> = {
  white: '#ffffff',
  cream: '#faf6ef',
  beige: '#f5f0dc',
  'light grey': '#e6e8eb',
  'light blue': '#dcebf7',
  'light green': '#e0f2e0',
  pink: '#f9dfe6',
  yellow: '#fbf0b8',
  orange: '#f6b26b',
  red: '#a52a2a',
  green: '#2f6b43',
  teal: '#0f6b6b',
  blue: '#1f4e8c',
  'dark blue': '#14284b',
  purple: '#4b2a6b',
  brown: '#4e342e',
  grey: '#5f6670',
  black: '#141414',
}

const foreign: Readonly<Record<string, string>> = {
  ...{
    weiß: 'white',
    weiss: 'white',
    creme: 'cream',
    hellgrau: 'light grey',
    hellblau: 'light blue',
  },
  ...{
    hellgrün: 'light green',
    gelb: 'yellow',
    rot: 'red',
    grün: 'green',
    blau: 'blue',
    dunkelblau: 'dark blue',
  },
  ...{
    lila: 'purple',
    braun: 'brown',
    grau: 'grey',
    schwarz: 'black',
    gray: 'grey',
    navy: 'dark blue',
  },
  ...{
    blanc: 'white',
    crème: 'cream',
    rose: 'pink',
    jaune: 'yellow',
    rouge: 'red',
    vert: 'green',
    bleu: 'blue',
  },
  ...{ violet: 'purple', marron: 'brown', gris: 'grey', noir: 'black' },
}

export const colourNames = Object.keys(colours)

/** The colour that a text names, as `#rrggbb`: of "dark blue" the longer name, not "blue". */
export function toColour(text: string): string | undefined {
  const hex = /#([0-9a-f]{6}|[0-9a-f]{3})\b/i.exec(text)?.[1]?.toLowerCase()
  if (hex) return `#${hex.length === 6 ? hex : [...hex].map(digit => digit + digit).join('')}`
  const plain = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const words = ` ${plain.map(word => foreign[word] ?? word).join(' ')} `
  const named = colourNames.filter(name => words.includes(` ${name} `))
  return colours[named.sort((a, b) => b.length - a.length)[0] ?? '']
}

/** The colour of text that can be read on this one. */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  )
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#2b2622' : '#fbfaf7'
}
