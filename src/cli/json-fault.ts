/** The place where a text stops being JSON, which `JSON.parse` does not always tell; its end if it only breaks off. */
export function findJsonFault(text: string): number {
  const open: string[] = []
  let expects: Expected = 'value'
  let at = 0
  for (;;) {
    token.lastIndex = at
    const found = token.exec(text)
    const [, sign, string] = found ?? []
    const start = at + (blanks(text, at) ?? 0)
    const next: Expected | null | undefined = found && step(expects, open, sign, string !== undefined)
    if (!found || !next) return start
    expects = next
    at = token.lastIndex
  }
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

const token =
  /\s*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uy

/** What may follow a token; undefined if the token must not stand here. */
function step(
  expects: Expected,
  open: string[],
  sign: string | undefined,
  isString: boolean,
): Expected | undefined {
  const isValue = sign === undefined || sign === '{' || sign === '['
  if (expects.startsWith('value') && isValue) {
    if (sign) open.push(sign)
    return sign === '{' ? 'key or end' : sign === '[' ? 'value or end' : afterValue(open)
  }
  if (expects.startsWith('key') && isString) return 'colon'
  if (expects === 'colon' && sign === ':') return 'value'
  if (expects === 'comma or end' && sign === ',') return open.at(-1) === '{' ? 'key' : 'value'
  const closes = (sign === '}' && open.at(-1) === '{') || (sign === ']' && open.at(-1) === '[')
  if (!expects.endsWith('or end') || !closes) return undefined
  open.pop()
  return afterValue(open)
}

function afterValue(open: readonly string[]): Expected {
  return open.length > 0 ? 'comma or end' : 'nothing'
}

function blanks(text: string, at: number): number | undefined {
  const rest = /\S/g
  rest.lastIndex = at
  const found = rest.exec(text)
  return (found?.index ?? text.length) - at
}
