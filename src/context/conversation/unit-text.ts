import type { Message, ToolCall } from '../../log/message.ts'
import type { Transcript } from './transcript.ts'
import type { Unit } from './unit.ts'

/** All text of a unit: what was said, the calls with their arguments, the results. */
export function unitText({ entries }: Transcript, { from, to }: Unit): string {
  return entries
    .slice(from, to)
    .filter(({ role }) => role !== 'assistant_note')
    .flatMap(({ message }) => saidIn(message, call => `${call.name} ${call.arguments}`))
    .join('\n')
}

/** Everything that a message says: its text, its calls, and the results that are not its text. */
export function saidIn({ role, text, calls, results }: Message, describe: (call: ToolCall) => string) {
  return [text, ...calls.map(describe), ...(role === 'tool' ? [] : results.map(result => result.text))]
}
