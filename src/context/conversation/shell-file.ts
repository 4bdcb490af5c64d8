/** The file that a shell command shows whole: `cat src/parser.ts`. Other commands show a part, or more than a file. */
export function shownFile({ cmd, command = cmd }: Readonly<Record<string, unknown>>): string | undefined {
  // A shell that is named has the command behind its flags: `["bash", "-lc", "cat src/parser.ts"]`.
  const line: unknown = Array.isArray(command) ? command.at(-1) : command
  return typeof line === 'string' && line.length <= mostRead ? SHOWN.exec(line)?.[1] : undefined
}

/** The first file that a patch changes, whether it is given to a tool or to a shell. */
export const patchedFile = (text: string): string | undefined => PATCHED.exec(text.slice(0, mostRead))?.[1]

const mostRead = 1000

/** Agents write `./src/parser.ts` in one command and `src/parser.ts` in the next. */
const SHOWN = /^\s*(?:cat|nl)(?:\s+-\w+)*\s+(?:\.\/)?([\w@./\\+-]+)\s*$/

/** Line breaks of JSON are written as `\n`, those of Windows as `\r\n`. */
const PATCHED =
  /\*{3} Begin Patch(?:\\r|\r)?(?:\\n|\n)\*{3} (?:Update|Add|Delete) File: (?:\.\/)?([\w@./+ -]+)/
