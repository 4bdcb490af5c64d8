import { cut } from '../../log/line.ts'

const MAX_LANGUAGE = 24

/** The fenced code blocks of a Markdown text, and the text around them. */
export interface Fences {
  /** All blocks, one after another. */
  readonly code: string
  /** The first language that an opening fence names: `typescript`. */
  readonly language: string
  readonly prose: string
}

/**
 * Opening line, code, closing line. An unclosed block goes to the end, as in Markdown: the reply was cut off. A backtick
 * in the rest of the opening line makes it inline code; a fence character after the fence is refused, or a megabyte of
 * them would be tried in every length.
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
