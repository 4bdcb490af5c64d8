import { forTerminal } from './style.ts'

// The only file that writes to the terminal: whatever it is given, a terminal has nothing to obey but our own colours.

/** One line. A line break in it is shown, so that no name can begin a line of its own. */
export const print = (line = '') => void process.stdout.write(toLine(line))

/** A text of several lines, as it stands. */
export const printText = (text: string) => void process.stdout.write(forTerminal(text))

/** One line for the person at the terminal, beside the output. */
export const printError = (line: string) => void process.stderr.write(toLine(line))

/** The same of several lines: the trace of an error that is ours. */
export const printErrorText = (text: string) => void process.stderr.write(forTerminal(text))

const toLine = (text: string) => `${forTerminal(text.replaceAll('\n', '\\n'))}\n`
