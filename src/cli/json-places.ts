/** Where each message begins: the elements of the outermost array, or of the one under "messages". */
export function messagePlaces(text: string): readonly number[] {
  const places: number[] = []
  /** How many brackets are open around a message; 0 while their array has not begun. */
  let inside = 0
  for (const { at, sign, depth, key } of valuesOf(text)) {
    if (inside > depth) break
    if (inside > 0 && inside === depth) places.push(at)
    const isList = sign === '[' && (depth === 0 || (depth === 1 && key === '"messages"'))
    if (inside === 0 && isList) inside = depth + 1
  }
  return places
}

/** Where a text stops being JSON, which `JSON.parse` does not always tell; its end if it only breaks off. */
export function findJsonFault(text: string): number {
  const values = valuesOf(text)
  for (;;) {
    const { done, value } = values.next()
    if (done) return value
  }
}

interface JsonToken {
  readonly at: number
  readonly sign: string | undefined
  readonly depth: number
  /** The last key of the outermost object. */
  readonly key: string | undefined
}

/** Walks over the values of a text, and returns where it stops being JSON. */
function* valuesOf(text: string): Generator<JsonToken, number> {
  const open: string[] = []
  let key: string | undefined
  /** The kinds of tokens that may come next: a sign, `"` for a string, `v` for another value. */
  let expected = anyValue
  for (let at = 0; ; ) {
    blanks.lastIndex = at
    at += blanks.exec(text)![0].length
    token.lastIndex = at
    const [match, sign] = token.exec(text) ?? []
    const kind = sign ?? 'v'
    const end = kind === '"' ? stringEnd(text, at) : at + (match?.length ?? 0)
    if (end === at || !expected.includes(kind)) return at
    const isKey = kind === '"' && expected.startsWith('"')
    if (isKey && open.length === 1) key = text.slice(at, end)
    if (!isKey && anyValue.includes(kind)) yield { at, sign, depth: open.length, key }
    expected = isKey ? ':' : kindsAfter(kind, open)
    at = end
  }
}

const anyValue = '{[v"'
const blanks = /[ \n\r\t]*/y

const token = /([{}[\],:"])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const inString = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** Where a string ends, or where it begins if it is none. A pattern for whole strings would run out of stack. */
function stringEnd(text: string, start: number): number {
  let end = start + 1
  for (inString.lastIndex = end; inString.test(text); ) end = inString.lastIndex
  return text[end] === '"' ? end + 1 : start
}

function kindsAfter(kind: string, open: string[]): string {
  if (kind === '{' || kind === '[') open.push(kind)
  if (kind === '}' || kind === ']') open.pop()
  const around = open.at(-1)
  if (kind === '{') return '"}'
  if (kind === '[') return `${anyValue}]`
  if (kind === ':') return anyValue
  if (kind === ',') return around === '{' ? '"' : anyValue
  return around === undefined ? '' : around === '{' ? ',}' : ',]'
}
