import { cut, few, plural } from '../../log/line.ts'
import { answerOf, type Digester } from './exchange.ts'
import { firstSentence, splitFences } from './text.ts'

const MAX_NAMES = 5
/** Characters of code in which names are looked for: only the first names are shown anyway. */
const MAX_SCANNED = 50_000

/** Digests an answer that is mostly code: `typescript, 24 lines: createQueue, drain — Here is the queue with back-off.` */
export const digestCode: Digester = exchange => {
  const answer = answerOf(exchange.messages)
  const { code, language, prose } = splitFences(answer)
  if (!/\S/.test(code) || prose.trim().length * 2 > answer.length) return undefined
  // Blank lines at the end are not counted.
  const lines = code.trimEnd().split('\n').length
  const names = findNames(code.slice(0, MAX_SCANNED))
  const sentence = firstSentence(prose).replace(/[:：]$/, '')
  return `${language || 'code'}, ${plural(lines, 'line')}${names && `: ${names}`}${sentence && ` — ${sentence}`}`
}

const KEYWORD =
  'function\\*?|func|fun|fn|def|class|interface|struct|enum|trait|object|type|module|namespace|create table|TABLE(?: IF NOT EXISTS)?'
/** Definitions: a keyword and a name (Go has a receiver between them); a value; `int main(…) {` of C; `deploy() {` of a shell. */
const KINDS = [
  `(?:(?:${KEYWORD}) +)+(?:\\(.*?\\) *)?["\`]?([\\w$.]+)`,
  '(?:const|let|var) +([\\w$]+)',
  '(\\w+)\\([^();\\n]*\\)\\s*\\{',
]
/** At the left edge, as indented ones are parts of a named one; after a few words: `export default async`, `pub(crate)`. */
const DEFINITION = new RegExp(
  `^(?!(?:import|from|using|return|if|for|while|switch)\\b)(?:[\\w:<>*&()]+ +){0,4}?[*&]?(?:${KINDS.join('|')}).*`,
  'gm',
)
/** A value counts if it is exported or a function. */
const SHARED = /^export|= *(?:async *)?(?:function|\w+ *=>|\($)/
/** A value that begins with a bracket: an arrow after the first one makes it a function, so the arrow is looked for once. */
const BRACKET = /= *(?:async *)?\(/

function findNames(code: string): string {
  const names: string[] = []
  for (const [line, defined, value, called = ''] of code.matchAll(DEFINITION)) {
    if (!value || isShared(line)) names.push(cut(defined ?? value ?? called, 40))
  }
  return few(names, MAX_NAMES)
}

function isShared(line: string): boolean {
  const bracket = line.search(BRACKET)
  return SHARED.test(line) || (bracket >= 0 && line.includes('=>', bracket + 1))
}
