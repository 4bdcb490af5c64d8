import { cut, plural } from './line.ts'

/** Characters that are looked at for what a result tells, at its beginning and at its end. */
const mostRead = 8000
const mostReadEnd = 2000

const EXIT = /(?:exit(?:ed with)? code|exit status|return ?code)["'>:= ]{1,3}(-?\d{1,10})/i

/** Lines that only wrap a result: tags, fences, and the head that some agents write above the output. */
const WRAPPING =
  /^(?:<\/?[\w-]{1,40}>|<(?:returncode|exit_code|path|type)>[^<]{0,180}<\/[\w-]{1,40}>|`{3,}\w{0,20}|(?:Chunk ID|Wall time|Process exited|Original token count|Exit code|Output):.{0,80}|Process exited with code -?\d{1,10}|Output)$/i

/** The folders of a path from the root on, three or more. */
const FOLDERS = /(?<![\w.:/])(?:\/[\w@.+~-]{1,255}){3,}(?=\/)/g

const FAULT =
  /\b(?:[a-z]*error|exception|fatal|panic|failed|denied|cannot|not found|no such file)\b/i

/**
 * What a tool's result tells, as one line: how it failed, else the line that was asked for, else
 * its first line; and how many lines it has.
 */
export function tellResult(text: string, max: number, asked?: string): string {
  const lines = linesIn(text)
  const fault = tellFault(text, max)
  // A short text is told whole.
  if (text.length <= max) return cut(fault ?? lines.join(' '), max)
  const first = lines.find(line => /[\p{L}\d]/u.test(line.slice(0, 400)))
  const told = fault ?? asked ?? first ?? ''
  const count = countLines(text)
  // The dots say that others stand before this line.
  const between = told === asked && asked !== first ? ' … ' : ': '
  const head = told === '' ? '' : between + told
  const summary = count > 1 ? `${plural(count, 'line')}${head}` : told
  // The call names the file whole: the folders would leave no room for what became of it.
  return cut(summary.length > max ? summary.slice(0, mostRead).replace(FOLDERS, '…') : summary, max)
}

/** How a tool failed, if its result says so by an exit code: the code, and the first line that names an error. */
export function tellFault(text: string, max: number): string | undefined {
  const exit = (EXIT.exec(text.slice(0, mostRead)) ?? EXIT.exec(text.slice(-mostReadEnd)))?.[1]
  if (exit === undefined || Number(exit) === 0) return undefined
  const lines = linesIn(text)
  const faultLine = lines.find(line => FAULT.test(line.slice(0, 400))) ?? lines[0]
  return cut(faultLine === undefined ? `exit code ${exit}` : `exit code ${exit}, ${faultLine}`, max)
}

/** The first lines of a text that are more than a wrapping. */
export function linesIn(text: string): readonly string[] {
  const beginning = text.slice(0, mostRead)
  return (withoutReminders(beginning) || beginning)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !WRAPPING.test(line.slice(0, 200)))
}

/** Without the reminders that a program adds to a result for the model. The result may be nothing else. */
export function withoutReminders(text: string): string {
  const [before, ...others] = text.split('<system-reminder>')
  return [before, ...others.flatMap(part => part.split('</system-reminder>').slice(1))]
    .join('')
    .trim()
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return text === '' || text.endsWith('\n') ? count : count + 1
}
