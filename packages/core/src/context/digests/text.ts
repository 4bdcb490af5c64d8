import { cut } from '../../log/line.ts'
import { answerOf, type Exchange } from './exchange.ts'

/** Characters of an answer that are read: the first sentence stands in the beginning. */
const MAX_ANSWER = 20_000

/** Digests any exchange: the first sentence of the answer, of its prose where it has some. */
export function digestText(exchange: Exchange): string {
  const answer = answerOf(exchange.messages)
  return (
    firstSentence(splitFences(answer.slice(0, MAX_ANSWER)).prose) ||
    firstSentence(answer) ||
    '(no answer)'
  )
}

/** Characters of a line that are read: the sentence is cut long before. */
const MAX_READ = 600
const LINE = /\S[^\n\r\u2028\u2029]{0,600}/g
const MAX_LINES = 40
/** Markdown before a line's text: heading, quotation, bullet, number, check box, in a row (`> - [ ] `); a rule; a fence. */
const MARKERS = /^(?:[-#>*+•=_]+(?:\s+|$)|(?:\d{1,3}[.)]|\[[ xX]\])\s+(?=\S)|(?:```|~~~).*)+/
/** Bold that begins with a small letter and underscores is left, for the sake of `__init__`. */
const BOLD = /\*\*([^*]+)\*\*|__([^_a-z][^_]*)__/g
/** Abbreviations, whose full stop ends no sentence. A single letter covers `e.g.`, `z. B.`, `p.m.`, `J. Smith`. */
const ABBREVIATION =
  '(?:^|[^\\p{L}\\p{N}])(?:\\p{L}|[DMSJN]r|Mrs|Ms|St|Prof|vs|etc|cf|approx|Fig|Inc)'
/** Latin marks end a sentence before white space (not in `v1.2`) unless a small letter follows (`Well… maybe`); CJK always. */
const SENTENCE = new RegExp(
  `^.*?(?:(?:[!?…؟।]|(?<!${ABBREVIATION})\\.)[.!?]*["'”’»)\\]*_]*(?!\\S|\\s+\\p{Ll})|[。！？]+[」』”’）]*)`,
  'u',
)

/** The first sentence or line of a text, without its Markdown, as one line. Empty only for a blank text. */
export function firstSentence(text: string, max = 120): string {
  const line = firstLine(text)
  return cut(SENTENCE.exec(line)?.[0] ?? line, max)
}

/** The first line with words; the whole text where no line has any. */
function firstLine(text: string): string {
  let lines = 0
  for (const [line] of text.matchAll(LINE)) {
    const words = line.replace(MARKERS, '').replace(BOLD, '$1$2')
    if (words !== '') return words
    if (++lines > MAX_LINES) break
  }
  return cut(text, MAX_READ)
}

const MAX_LANGUAGE = 24

/**
 * Opening line, code, closing line. An unclosed block goes to the end, as in Markdown: the reply was cut off. A backtick
 * in the rest of the opening line makes it inline code; a fence character after the fence is refused, or a megabyte of
 * them would be tried in every length.
 */
const BLOCK =
  /^[ \t]*(`{3,}|~{3,})(?![`~])([^\n`]*)\n([\s\S]*?)(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm

/** The code of all fenced blocks of a Markdown text, the first language that a fence names, and the text around the blocks. */
export function splitFences(text: string) {
  let code = ''
  let language = ''
  const prose = text.replace(BLOCK, (_block, _fence, info: string, lines: string) => {
    code += lines
    language ||= cut(info, MAX_LANGUAGE)
    return ''
  })
  return { code, language, prose }
}
