import { cut } from './line.ts'

/** How much of a message is looked at: programs put their instructions first. */
const mostRead = 20_000

/** A block that a program wrote into a message: `<system-reminder>…</system-reminder>`, `<environment_context>…`. */
const block = /^<([\w-]{1,40})(?:\s[^>]{0,200})?>[\s\S]*?<\/\1>/

/** Lines that programs put before what the person says: a date in brackets, the head of a file of instructions. */
const preamble =
  /^(?:\[[^\]\n]{0,200}\]|# AGENTS\.md instructions[^\n]*|Caveat: The messages below[^\n]*)/

/** The first words of what a person says, on one line: without blocks and lines of a program. Empty if there is nothing else. */
export function firstWords(text: string, max: number): string {
  let rest = text.slice(0, mostRead).trimStart()
  for (let before = ''; rest !== before; ) {
    before = rest
    rest = rest.replace(block, '').trimStart().replace(preamble, '').trimStart()
  }
  return cut(rest, max)
}
