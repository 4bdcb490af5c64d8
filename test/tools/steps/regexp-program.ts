/** A pattern as instructions for a machine that goes back to its last fork when something does not fit. */
export interface Program {
  readonly instructions: readonly Instruction[]
  /** Only tried at the beginning of the text. */
  readonly isAnchored: boolean
  /** Reads code points, not code units. */
  readonly isWide: boolean
  readonly slots: number
}

export type Instruction =
  | {
      readonly do: 'look at'
      readonly fits: (character: string) => boolean
      readonly isBack: boolean
    }
  | { readonly do: 'fork'; readonly first: number; readonly otherwise: number }
  | { readonly do: 'jump'; readonly to: number }
  | { readonly do: 'remember'; readonly slot: number }
  | { readonly do: 'have moved'; readonly slot: number }
  | { readonly do: 'assert'; readonly pattern: RegExp }
  | {
      readonly do: 'look around'
      readonly program: readonly Instruction[]
      readonly isNot: boolean
    }
  | { readonly do: 'say again'; readonly slot: number; readonly isBack: boolean }
  | { readonly do: 'match' }

/** The character at a place, or the one that ends there; '' at the end of the text. */
export function characterAt(text: string, at: number, isBack: boolean, isWide: boolean): string {
  const place = isBack ? at - 1 : at
  if (place < 0 || place >= text.length) return ''
  if (!isWide) return text[place]!
  const isLow = (n: number) => (text.charCodeAt(n) & 0xfc00) === 0xdc00
  const isHigh = (n: number) => (text.charCodeAt(n) & 0xfc00) === 0xd800
  if (isBack && isLow(place) && isHigh(place - 1)) return text[place - 1]! + text[place]!
  return !isBack && isHigh(place) && isLow(place + 1)
    ? text[place]! + text[place + 1]!
    : text[place]!
}

export function toProgram(pattern: RegExp): Program {
  const { source, flags } = pattern
  if (flags.includes('v'))
    throw new Error(`Steps of a pattern with the flag "v" are not counted: ${pattern}`)
  const isWide = flags.includes('u')
  const parsed = parse(source, isWide)
  const counter = { slots: 2 * parsed.groups }
  const own = flags.replace(/[^imsu]/g, '')
  const instructions = [
    ...assemble(parsed.tree, { flags: own, isBack: false, counter, at: 0 }),
    end,
  ]
  return {
    instructions,
    isAnchored: !flags.includes('m') && isAnchored(parsed.tree),
    isWide,
    slots: counter.slots,
  }
}

const end: Instruction = { do: 'match' }

type Tree =
  | { readonly is: 'character'; readonly source: string }
  | { readonly is: 'assertion'; readonly source: string }
  | { readonly is: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly is: 'choice'; readonly parts: readonly Tree[] }
  | { readonly is: 'group'; readonly part: Tree; readonly slot: number }
  | { readonly is: 'again'; readonly slot: number }
  | { readonly is: 'look'; readonly part: Tree; readonly isBack: boolean; readonly isNot: boolean }
  | {
      readonly is: 'repeat'
      readonly part: Tree
      readonly least: number
      readonly most: number
      readonly isLazy: boolean
    }

function isAnchored(tree: Tree): boolean {
  switch (tree.is) {
    case 'assertion':
      return tree.source === '^'
    case 'sequence':
      return tree.parts[0] !== undefined && isAnchored(tree.parts[0])
    case 'choice':
      return tree.parts.every(isAnchored)
    case 'group':
      return isAnchored(tree.part)
    default:
      return false
  }
}

interface Assembly {
  readonly flags: string
  readonly isBack: boolean
  readonly counter: { slots: number }
  /** The place of the first instruction. */
  readonly at: number
}

function assemble(tree: Tree, assembly: Assembly): Instruction[] {
  const { flags, isBack, at } = assembly
  const from = (part: Tree, place: number) => assemble(part, { ...assembly, at: place })
  switch (tree.is) {
    case 'character':
      return [{ do: 'look at', fits: fitsOne(tree.source, flags), isBack }]
    case 'assertion':
      return [{ do: 'assert', pattern: new RegExp(tree.source, `${flags}y`) }]
    case 'again':
      return [{ do: 'say again', slot: tree.slot, isBack }]
    case 'sequence': {
      const made: Instruction[] = []
      for (const part of isBack ? [...tree.parts].reverse() : tree.parts)
        made.push(...from(part, at + made.length))
      return made
    }
    case 'choice': {
      const [first, ...rest] = tree.parts
      const one = from(first!, at + (rest.length > 0 ? 1 : 0))
      if (rest.length === 0) return one
      const otherwise = at + one.length + 2
      const others = from({ is: 'choice', parts: rest }, otherwise)
      const after = otherwise + others.length
      return [
        { do: 'fork', first: at + 1, otherwise },
        ...one,
        { do: 'jump', to: after },
        ...others,
      ]
    }
    case 'group': {
      const remember = (slot: number): Instruction => ({ do: 'remember', slot: tree.slot + slot })
      return [remember(0), ...from(tree.part, at + 1), remember(1)]
    }
    case 'look': {
      const program = assemble(tree.part, { ...assembly, isBack: tree.isBack, at: 0 })
      return [{ do: 'look around', program: [...program, end], isNot: tree.isNot }]
    }
    case 'repeat':
      return repeat(tree, assembly)
  }
}

function repeat(tree: Tree & { is: 'repeat' }, assembly: Assembly): Instruction[] {
  const { part, least, most, isLazy } = tree
  const made: Instruction[] = []
  const here = () => assembly.at + made.length
  const body = () => assemble(part, { ...assembly, at: here() })
  const fork = (first: number, otherwise: number): Instruction =>
    isLazy ? { do: 'fork', first: otherwise, otherwise: first } : { do: 'fork', first, otherwise }
  for (let n = 0; n < least; n += 1) made.push(...body())
  if (most === Number.POSITIVE_INFINITY) {
    const [start, slot] = [here(), assembly.counter.slots]
    assembly.counter.slots += 1
    // What may match nothing must not do so for ever.
    const mayStay = part.is !== 'character'
    made.push(end)
    if (mayStay) made.push({ do: 'remember', slot })
    made.push(...body())
    if (mayStay) made.push({ do: 'have moved', slot })
    made.push({ do: 'jump', to: start })
    made[start - assembly.at] = fork(start + 1, here())
    return made
  }
  const forks: number[] = []
  for (let n = least; n < most; n += 1) {
    forks.push(made.length)
    made.push(end)
    made.push(...body())
  }
  for (const place of forks) made[place] = fork(assembly.at + place + 1, here())
  return made
}

/** Whether one character fits a piece of a pattern, asked from the engine once per character. */
function fitsOne(source: string, flags: string): (character: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`, flags.replace('m', ''))
  const test = RegExp.prototype.exec
  const answers = new Map<string, boolean>()
  return character => {
    const known = answers.get(character)
    if (known !== undefined) return known
    const answer = test.call(pattern, character) !== null
    answers.set(character, answer)
    return answer
  }
}

const ends: Readonly<Record<string, readonly [least: number, most: number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
}

function parse(source: string, isWide: boolean): { readonly tree: Tree; readonly groups: number } {
  let at = 0
  let groups = 0
  const names = groupNames(source)
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const sticky = new RegExp(pattern, isWide ? 'yus' : 'ys')
    sticky.lastIndex = at
    const found = sticky.exec(source)
    if (found) at += found[0].length
    return found
  }
  const choice = (): Tree => {
    const parts = [sequence()]
    while (take(/\|/)) parts.push(sequence())
    return parts.length === 1 ? parts[0]! : { is: 'choice', parts }
  }
  const sequence = (): Tree => {
    const parts: Tree[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')')
      parts.push(repeated(term()))
    return { is: 'sequence', parts }
  }
  const repeated = (part: Tree): Tree => {
    const found = take(/(?:([*+?])|\{(\d+)(,)?(\d+)?\})(\?)?/)
    if (!found) return part
    const [, sign = '', from = '', comma, to, lazy] = found
    const [least, most] = ends[sign] ?? [
      Number(from),
      comma ? Number(to ?? 'Infinity') : Number(from),
    ]
    return { is: 'repeat', part, least, most, isLazy: lazy !== undefined }
  }
  const closed = (part: Tree): Tree => {
    if (!take(/\)/)) throw new Error(`Steps of this pattern are not counted: ${source}`)
    return part
  }
  const term = (): Tree => {
    const look = take(/\(\?(<?)([=!])/)
    if (look)
      return closed({ is: 'look', part: choice(), isBack: look[1] === '<', isNot: look[2] === '!' })
    if (take(/\(\?:/)) return closed(choice())
    if (take(/\((?:\?<[^>=!]+>)?(?!\?)/)) {
      groups += 1
      return closed({ is: 'group', slot: 2 * (groups - 1), part: choice() })
    }
    const assertion = take(/\^|\$|\\[bB]/)
    if (assertion) return { is: 'assertion', source: assertion[0] }
    const again = take(/\\(?:([1-9]\d*)|k<([^>]+)>)/)
    if (again)
      return { is: 'again', slot: 2 * (again[1] ? Number(again[1]) - 1 : names.indexOf(again[2]!)) }
    const character = take(
      isWide
        ? /\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\c.|\\.|[^()]/
        : /\[(?:[^\]\\]|\\.)*\]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c.|\\.|[^()]/,
    )
    if (!character) throw new Error(`Steps of this pattern are not counted: ${source}`)
    return { is: 'character', source: character[0] }
  }
  const tree = choice()
  if (at < source.length) throw new Error(`Steps of this pattern are not counted: ${source}`)
  return { tree, groups }
}

const groupNames = (source: string): readonly (string | undefined)[] =>
  [...source.replace(/\\.|\[(?:[^\]\\]|\\.)*\]/gs, '').matchAll(/\((?:\?<([^>=!]+)>|(?!\?))/g)].map(
    ([, name]) => name,
  )
