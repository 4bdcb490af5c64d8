import type { Command, Element, Program, Step } from '../program.ts'

type Part = readonly [command: Command, duration: number | null]

/** Makes a program of commands with their durations; the last one stays, or everything is played again and again. */
export function toProgram(name: string, parts: readonly Part[], times?: number): Program {
  const steps = parts.map(
    ([command, duration], at): Step => ({ id: String(at + 1), command, duration }),
  )
  const loop = { count: times ?? 0, start_step: '1', end_step: String(steps.length) }
  return { name, steps, ...(times !== undefined && { loop }) }
}

type PatternName = Extract<Command, { type: 'pattern' }>['name']

export function pattern(name: PatternName, color?: string, color2?: string, speed = 1): Command {
  return {
    type: 'pattern',
    name,
    params: { ...(color && { color }), ...(color2 && { color2 }), speed },
  }
}

/** A drawing of a few lines, each a string in which a letter stands for a colour; `top` is the row of the first. */
export function picture(
  colours: Readonly<Record<string, string>>,
  top: number,
  ...lines: readonly string[]
): Command {
  const elements = lines.flatMap((line, row) =>
    // One rectangle for each run of the same letter: a program should be short, as it is sent again and again.
    [...line.matchAll(/(\S)\1*/g)].map(({ 0: run, 1: letter = '', index: x }): Element => {
      const color = colours[letter] ?? '#FFFFFF'
      return { type: 'rect', x, y: top + row, width: run.length, height: 1, color, filled: true }
    }),
  )
  return { type: 'render', elements }
}

export function words(text: string, color: string): Command {
  return { type: 'render', elements: [{ type: 'text', text, color }] }
}

const heart = [
  ' rr    rr ',
  'rrrr  rrrr',
  'rrrrrrrrrr',
  'rrrrrrrrrr',
  ' rrrrrrrr ',
  '  rrrrrr  ',
  '   rrrr   ',
  '    rr    ',
]
const smiley = [
  '  yyyyyy  ',
  ' yyyyyyyy ',
  'yyy yy yyy',
  'yyyyyyyyyy',
  'yy yyyy yy',
  'yyy    yyy',
  ' yyyyyyyy ',
  '  yyyyyy  ',
]
const tree = [
  '    yy    ',
  '    gg    ',
  '   gggg   ',
  '   gggr   ',
  '  gggggg  ',
  '  grgggg  ',
  ' gggggrgg ',
  ' gggggggg ',
  '    bb    ',
]
const light = (colour: string, at: number): Command => ({
  type: 'render',
  elements: [
    { type: 'rect', x: 2, y: 0, width: 6, height: 14, color: '#303030', filled: false },
    { type: 'rect', x: 4, y: 2 + 4 * at, width: 2, height: 2, color: colour, filled: true },
  ],
})

/** Things that people ask lamps for, by the words that name them. */
const scenes: readonly (readonly [words: RegExp, make: () => Omit<Program, 'name'>])[] = [
  [
    /thunder|lightning|\bstorm|gewitter|tormenta/i,
    () =>
      toProgram(
        '',
        [
          [pattern('solid', '#1A1A2E'), 1500],
          [pattern('pulse', '#FFFFFF', '#1A1A2E'), 900],
          [pattern('sparkle', '#4444AA'), 1800],
          [pattern('breathing', '#1A1A3A'), 2500],
        ],
        0,
      ),
  ],
  [
    /camp ?fire|\bfire\b|fireplace|lagerfeuer|\bfeuer|fuego|\bfeu\b/i,
    () => toProgram('', [[pattern('sparkle', '#FF6A00', '#FFB020', 1.6), null]]),
  ],
  [
    /firework|feuerwerk/i,
    () =>
      toProgram(
        '',
        [
          [pattern('wave', '#FFD6AA', '#000000', 2), 1200],
          [pattern('sparkle', '#FF3355', '#FFE066', 2), 1600],
          [pattern('sparkle', '#33AAFF', '#FFFFFF', 2), 1600],
        ],
        0,
      ),
  ],
  [/candle|kerze/i, () => toProgram('', [[pattern('breathing', '#FF9329', '#7A3B00', 1.5), null]])],
  [
    /sunset|sonnenuntergang|puesta de sol/i,
    () => toProgram('', [[pattern('gradient', '#FF7E5F', '#3A1C71', 0.5), null]]),
  ],
  [
    /sunrise|sonnenaufgang|waking|morning/i,
    () =>
      toProgram('', [
        [pattern('gradient', '#200A3A', '#5A1F3C', 0.5), 5000],
        [pattern('gradient', '#8C3B2E', '#FF9A3C', 0.5), 5000],
        [pattern('solid', '#FFE3B0'), null],
      ]),
  ],
  [
    /ocean|\bsea\b|\bmeer\b/i,
    () => toProgram('', [[pattern('wave', '#1E90FF', '#00152E', 0.6), null]]),
  ],
  [
    /northern light|aurora|polarlicht/i,
    () => toProgram('', [[pattern('wave', '#2BFF9E', '#1B0A4F', 0.4), null]]),
  ],
  [/lava/i, () => toProgram('', [[pattern('wave', '#FF3B00', '#5A004F', 0.3), null]])],
  [
    /forest|\bwald\b/i,
    () => toProgram('', [[pattern('gradient', '#0B6623', '#9ACD32', 0.5), null]]),
  ],
  [
    /snow|winter|schnee/i,
    () => toProgram('', [[pattern('sparkle', '#FFFFFF', '#BFE3FF', 0.6), null]]),
  ],
  [
    /\brain\b|\bregen\b/i,
    () => toProgram('', [[pattern('sparkle', '#4A90D9', '#1C3F66', 1.5), null]]),
  ],
  [
    /star|night sky|galaxy/i,
    () => toProgram('', [[pattern('sparkle', '#E8F0FF', '#8FB0FF', 0.5), null]]),
  ],
  [
    /party|disco|birthday/i,
    () =>
      toProgram(
        '',
        [
          [pattern('rainbow', undefined, undefined, 3), 3000],
          [pattern('sparkle', '#FF00FF', '#00FFFF', 2), 2500],
          [pattern('pulse', '#FFFF00', '#8000FF', 1.5), 2000],
        ],
        0,
      ),
  ],
  [
    /police|emergency/i,
    () =>
      toProgram(
        '',
        [
          [pattern('solid', '#FF0000'), 500],
          [pattern('solid', '#0000FF'), 500],
        ],
        0,
      ),
  ],
  [
    /traffic light|ampel/i,
    () =>
      toProgram(
        '',
        [
          [light('#FF2020', 0), 2500],
          [light('#FFC020', 1), 1000],
          [light('#20FF40', 2), 2500],
        ],
        0,
      ),
  ],
  [
    /christmas|weihnacht/i,
    () =>
      toProgram(
        '',
        [
          [picture({ g: '#0FA040', b: '#7A4A20', y: '#FFE066', r: '#FF3030' }, 2, ...tree), 3000],
          [pattern('sparkle', '#FF3030', '#0FA040'), 2000],
        ],
        0,
      ),
  ],
  [
    /heart|herz|coraz[oó]n|cœur|coeur/i,
    () => toProgram('', [[picture({ r: '#FF2040' }, 3, ...heart), null]]),
  ],
  [/smil|happy face/i, () => toProgram('', [[picture({ y: '#FFD020' }, 3, ...smiley), null]])],
  [/reading|\bwork\b|desk/i, () => toProgram('', [[pattern('solid', '#FFF1DC'), null]])],
  [
    /relax|calm|quiet|sleep/i,
    () => toProgram('', [[pattern('breathing', '#4B6CFF', '#080A2A', 0.5), null]]),
  ],
]

/** A scene that a request names. */
export function sceneIn(request: string): Omit<Program, 'name'> | undefined {
  return scenes.find(([words]) => words.test(request))?.[1]()
}

/** The words of a text that name scenes, as they stand there. */
export function sceneWordsIn(text: string): readonly string[] {
  const words =
    text
      .slice(0, 500)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return words.filter(word => sceneIn(word) !== undefined)
}
