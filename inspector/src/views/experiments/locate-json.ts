/** A piece of a text: from one UTF-16 unit up to another. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** `roles[0].tools[1]` as names and numbers. */
export function toPath(place: string): readonly (string | number)[] {
  return Array.from(place.matchAll(/\[(\d+)\]|[^.[\]]+/g), ({ 0: name, 1: index }) =>
    index === undefined ? name : Number(index),
  )
}

/**
 * Finds a value in the text of JSON by its path. What is not there (a field that is missing) is found at the value that it
 * should stand in. The text must be JSON.
 */
export function locateJson(text: string, path: readonly (string | number)[]): Stretch {
  let value = valueAt(text, 0)
  for (const part of path) {
    const inner = member(text, value, part)
    if (!inner) return value
    value = inner
  }
  return value
}

const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/y

function next(
  text: string,
  at: number,
): { readonly text: string; readonly from: number; readonly to: number } {
  token.lastIndex = at
  const found = token.exec(text)?.[1] ?? ''
  const to = found === '' ? text.length : token.lastIndex
  return { text: found, from: to - found.length, to }
}

/** The value that begins at a place, with all that is inside of it. */
function valueAt(text: string, at: number): Stretch {
  const first = next(text, at)
  let to = first.to
  for (let depth = step(first.text); depth > 0 && to < text.length; ) {
    const one = next(text, to)
    depth += step(one.text)
    to = one.to
  }
  return { from: first.from, to }
}

const step = (text: string) => (text === '{' || text === '[' ? 1 : text === '}' || text === ']' ? -1 : 0)

function member(text: string, { from, to }: Stretch, part: string | number): Stretch | undefined {
  const open = text[from]
  let at = from + 1
  for (let index = 0; at < to; index++) {
    const first = next(text, at)
    if (first.text === '}' || first.text === ']' || first.text === '') return undefined
    const start = open === '{' ? next(text, first.to).to : at
    const value = valueAt(text, start)
    const isIt = open === '{' ? nameOf(first.text) === String(part) : open === '[' && index === part
    if (isIt) return value
    at = next(text, value.to).to
  }
  return undefined
}

function nameOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The line of a place, from 1. */
export function lineOf(text: string, at: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line += 1
  return line
}

const plain = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/
const string = /^"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"$/u

/** Where a text stops being JSON: browsers do not all say it. */
export function breakOf(text: string): number {
  const open: string[] = []
  let wanted: 'value' | 'name' | 'colon' | 'more' = 'value'
  let isFirst = false
  for (let at = 0; ; ) {
    const one = next(text, at)
    const { text: found, from } = one
    const isEnd = found === '}' || found === ']'
    if (found === '') return text.length
    if (isEnd && (wanted === 'more' || isFirst)) {
      if (open.pop() !== (found === '}' ? '{' : '[')) return from
      wanted = 'more'
    } else if (wanted === 'more') {
      if (found !== ',' || open.length === 0) return from
      wanted = open.at(-1) === '{' ? 'name' : 'value'
    } else if (wanted === 'colon') {
      if (found !== ':') return from
      wanted = 'value'
    } else if (wanted === 'name') {
      if (!string.test(found)) return from
      wanted = 'colon'
    } else if (found === '{' || found === '[') {
      open.push(found)
      wanted = found === '{' ? 'name' : 'value'
    } else if (plain.test(found) || string.test(found)) wanted = 'more'
    else return from
    isFirst = found === '{' || found === '['
    at = one.to
  }
}
