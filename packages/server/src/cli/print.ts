import { forTerminal } from './style.ts'

// The only file that writes to the terminal. It escapes all control characters but our own colours.

/** Prints one line. A line break in it is escaped, so that no name can begin a line of its own. */
export const print = (line = '') => void process.stdout.write(toLine(line))

export const printText = (text: string) => void process.stdout.write(forTerminal(text))

export const printError = (line: string) => void process.stderr.write(toLine(line))

/** Prints several lines to stderr: the trace of an error that is ours. */
export const printErrorText = (text: string) => void process.stderr.write(forTerminal(text))

const toLine = (text: string) => `${forTerminal(text.replaceAll('\n', '\\n'))}\n`

/** An error that the user at the terminal can mend: shown as one line, without a stack. */
export class UserError extends Error {}
