import { randomUUID } from 'node:crypto'

/** Colours for a terminal, and only for a terminal: piped output stays plain. */
export type Style = (code: number, text: string) => string

export function createStyle(
  stream: { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): Style {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'
  const on = !env.NO_COLOR && (forced || stream.isTTY === true)
  return (code, text) => (on && text !== '' ? `${ownEscape}[${code}m${text}${ownEscape}[0m` : text)
}

/** Stands for the escape of our own colours until it is printed. Random, so that no other text can hold it. */
const ownEscape = `\u001b${randomUUID()}`

/** Escapes control characters as JSON does, but for our colours, line breaks and tabs: JSON stays the same JSON. */
export const forTerminal = (text: string) => text.split(ownEscape).map(showControls).join('\u001b')

/** Control characters, Unicode's line separators, and characters that change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

export const showControls = (text: string) =>
  text.replace(controls, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const bold = 1
export const dim = 2
export const red = 31
export const green = 32
export const yellow = 33
export const blue = 34
export const magenta = 35
export const cyan = 36
export const grey = 90
