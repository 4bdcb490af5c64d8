/** A stretch of a message: a paragraph, or code between fences. */
export type RichBlock =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'code'
      readonly text: string
      readonly language: string
      /** Whether its end has not come yet. */
      readonly isOpen: boolean
    }

/** Divides a text into paragraphs and fenced code. Every line is looked at once. */
export function toBlocks(text: string): readonly RichBlock[] {
  const blocks: RichBlock[] = []
  let lines: string[] = []
  let fence: { readonly mark: string; readonly language: string } | undefined

  const endText = () => {
    if (lines.length > 0) blocks.push({ kind: 'text', text: lines.join('\n') })
    lines = []
  }
  const endCode = (isOpen: boolean) => {
    blocks.push({ kind: 'code', text: lines.join('\n'), language: fence!.language, isOpen })
    lines = []
    fence = undefined
  }
  for (const line of text.split('\n')) {
    const mark = fenceOf(line)
    if (fence) {
      if (mark?.startsWith(fence.mark) && line.trim() === mark) endCode(false)
      else lines.push(line)
    } else if (mark) {
      endText()
      fence = { mark, language: line.trim().slice(mark.length).trim().slice(0, 40) }
    } else if (line.trim() === '') endText()
    else lines.push(line)
  }
  if (fence) endCode(true)
  else endText()
  return blocks
}

/** The fence that begins a line: three or more backticks or tildes. */
function fenceOf(line: string): string | undefined {
  const start = line.trimStart()
  const sign = start[0]
  if (sign !== '`' && sign !== '~') return undefined
  let length = 1
  while (start[length] === sign) length++
  // A line such as ```one``` is code within a line.
  return length >= 3 && (sign === '~' || !start.includes('`', length)) ? sign.repeat(length) : undefined
}

/** A piece of a line. */
export interface RichPiece {
  readonly kind: 'plain' | 'code' | 'strong'
  readonly text: string
}

/** Divides a paragraph into plain text, `code` and **strong** text. What has no end is plain. */
export function toPieces(text: string): readonly RichPiece[] {
  const pieces: RichPiece[] = []
  const runs = ticksIn(text)
  let at = 0
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index]!
    const close = open.next
    if (open.at < at || close === undefined) continue
    addStrong(pieces, text.slice(at, open.at))
    pieces.push({ kind: 'code', text: trimCode(text.slice(open.at + open.length, close)) })
    at = close + open.length
  }
  addStrong(pieces, text.slice(at))
  return pieces
}

interface Ticks {
  readonly at: number
  readonly length: number
  /** Where the next run of the same length begins. */
  next?: number
}

/** The runs of backticks, each with the next one of its length: found from the end, so that no search goes over a text twice. */
function ticksIn(text: string): readonly Ticks[] {
  const runs: Ticks[] = []
  for (let at = text.indexOf('`'); at >= 0; ) {
    let end = at
    while (text[end] === '`') end++
    runs.push({ at, length: end - at })
    at = text.indexOf('`', end)
  }
  const later = new Map<number, number>()
  for (const run of runs.toReversed()) {
    const next = later.get(run.length)
    if (next !== undefined) run.next = next
    later.set(run.length, run.at)
  }
  return runs
}

/** `` ` `` is written with a blank on either side. */
const trimCode = (text: string) =>
  text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '' ? text.slice(1, -1) : text

function addStrong(pieces: RichPiece[], text: string): void {
  let at = 0
  for (;;) {
    const open = text.indexOf('**', at)
    const close = open < 0 ? -1 : text.indexOf('**', open + 2)
    if (close < 0) break
    const inner = text.slice(open + 2, close)
    const isStrong = inner !== '' && inner.trim() === inner && !inner.includes('\n')
    if (isStrong) {
      addPlain(pieces, text.slice(at, open))
      pieces.push({ kind: 'strong', text: inner })
    } else addPlain(pieces, text.slice(at, close))
    at = isStrong ? close + 2 : close
  }
  addPlain(pieces, text.slice(at))
}

function addPlain(pieces: RichPiece[], text: string): void {
  if (text !== '') pieces.push({ kind: 'plain', text })
}
