/** Colours for a terminal, and only for a terminal: piped output stays plain. */
export type Style = (code: number, text: string) => string

export function createStyle(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'
  const on = !env.NO_COLOR && (forced || stream.isTTY === true)
  return (code, text) => (on && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text)
}

export const bold = 1
export const dim = 2
export const red = 31
export const green = 32
export const yellow = 33
export const blue = 34
export const magenta = 35
export const cyan = 36
export const grey = 90
