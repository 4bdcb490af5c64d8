import { attempt } from './attempt.ts'

/** Each try may read to the end: without this limit a megabyte of openings would be read 100,000 times. */
const MAX_TRIES = 8

/** The first JSON object under the key "program" anywhere in a text: in a fence, with prose around it. */
export function findProgram(text: string): unknown {
  const opening = /"program"\s*:\s*(?={)/g
  for (let tries = 0; tries < MAX_TRIES && opening.test(text); tries++) {
    const start = opening.lastIndex
    const program: unknown = attempt(() => JSON.parse(text.slice(start, closing(text, start))), undefined)
    if (program !== undefined) return program
  }
  return undefined
}

/** The place just after the brace that closes the one at `start`, or the end; braces in strings do not count. */
function closing(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const unit = text[at]
    if (unit === '"') quoted = !quoted
    else if (quoted) at += unit === '\\' ? 1 : 0
    else if (unit === '{') depth++
    else if (unit === '}' && --depth === 0) return at + 1
  }
  return text.length
}
