import { cut } from '../../log/line.ts'

const MAX_LANGUAGE = 24

/** The fenced code blocks of a Markdown text, and what stands around them. */
export interface Fences {
  /** All blocks, one after another. */
  readonly code: string
  /** What stands after the first opening fence that says something: `typescript`. */
  readonly language: string
  readonly prose: string
}

/**
 * Opening line, code, closing line. A block that was never closed goes to the end, as in Markdown: the reply was cut
 * off. No backtick may follow in the opening line, or it is inline code; no fence character, or a megabyte of them
 * would be tried in every length.
 */
const BLOCK = /^[ \t]*(`{3,}|~{3,})(?![`~])([^\n`]*)\n([\s\S]*?)(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm

export function splitFences(text: string): Fences {
  let code = ''
  let language = ''
  const prose = text.replace(BLOCK, (_block, _fence, info: string, lines: string) => {
    code += lines
    language ||= cut(info, MAX_LANGUAGE)
    return ''
  })
  return { code, language, prose }
}
