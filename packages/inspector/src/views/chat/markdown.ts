import MarkdownIt, { type Token } from 'markdown-it'

export type { Token }

/** A block of a message: a paragraph, a list, a table, code between fences. */
export interface MarkdownBlock {
  readonly kind: 'text' | 'code'
  /** Code without its fences; anything else as it is written. */
  readonly text: string
  readonly language: string
  readonly tokens: readonly Token[]
}

/** The deepest nesting of lists and quotes: deeper texts are shown as those of a user. */
const deepest = 100

/** HTML stays text, images are not loaded. Linear on hostile texts: marked and commonmark took seconds (bench/notes/install.md). */
const replies = new MarkdownIt({ html: false, maxNesting: deepest })
replies.validateLink = address => /^(?:https?:|mailto:)/i.test(address)

/** What a user writes: a line may begin with `#` or `-` because it was pasted. */
const questions = new MarkdownIt('zero', { maxNesting: deepest }).enable([
  'fence',
  'backticks',
  'emphasis',
])

/** Divides the text of a message into its blocks, in linear time for any text. */
export function toBlocks(text: string, from: 'user' | 'model'): readonly MarkdownBlock[] {
  const rich = from === 'user' ? [] : replies.parse(text, {})
  const isTooDeep = rich.some(({ nesting, level }) => nesting === 1 && level >= deepest - 1)
  const tokens = from === 'user' || isTooDeep ? questions.parse(text, {}) : rich
  const lines = text.split(/\r\n?|\n/)
  const blocks: MarkdownBlock[] = []
  let first = 0
  for (const [at, { level, nesting }] of tokens.entries()) {
    if (level > 0 || nesting === 1) continue
    blocks.push(toBlock(tokens.slice(first, at + 1), lines))
    first = at + 1
  }
  return blocks
}

function toBlock(tokens: readonly Token[], lines: readonly string[]): MarkdownBlock {
  const { type, content, info, map } = tokens[0]!
  if (type === 'fence' || type === 'code_block')
    return {
      kind: 'code',
      text: content.replace(/\n$/, ''),
      language: info.trim().slice(0, 40),
      tokens,
    }
  const [from, to] = map ?? [0, 0]
  return { kind: 'text', text: lines.slice(from, to).join('\n'), language: '', tokens }
}
