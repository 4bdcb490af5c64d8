/** What the rules see of a context: the request, what the tools have answered since, and the notes of earlier turns. */
import { type MessageLike, parseMessage } from 'throughline'

export interface TurnSoFar {
  readonly request: string
  /** The files that were read in this turn, with their texts. */
  readonly read: ReadonlyMap<string, string>
  /** The files of the site, once they were listed in this turn. */
  readonly files: readonly string[] | undefined
  /** The files that were written, removed or restored in this turn. */
  readonly written: readonly string[]
  /** What the first tool that failed said. */
  readonly problem: string | undefined
  readonly notes: readonly string[]
  /** What was answered in earlier turns. */
  readonly answers: readonly string[]
  /** How a note begins. It holds a secret, which only the system prompt tells. */
  readonly noteOpening: string
}

export function readTurn(given: readonly MessageLike[]): TurnSoFar {
  const messages = given.map((message, seq) => parseMessage(message, seq))
  // The journal of cut rounds is a message in the role of the user, too.
  const asked = messages.findLastIndex(
    ({ role, text }) => role === 'user' && !text.startsWith('[Actions so far in this turn:]'),
  )
  const turn = messages.slice(asked + 1)
  const calls = new Map(turn.flatMap(({ calls }) => calls.map(call => [call.id, call] as const)))
  const read = new Map<string, string>()
  const written: string[] = []
  let [files, problem]: [TurnSoFar['files'], TurnSoFar['problem']] = [undefined, undefined]
  for (const { callId, text } of turn.flatMap(({ results }) => results)) {
    const { name = '', arguments: json = '{}' } = calls.get(callId) ?? {}
    const { path = '' } = JSON.parse(json) as { path?: string }
    if (text.startsWith('Error: ')) problem ??= text.slice(7)
    else if (name === 'list_files') files = text.split('\n').filter(Boolean)
    else if (name === 'read_file') read.set(path, text)
    else if (name === 'write_file' || name === 'remove_file') written.push(path)
    else if (name === 'undo_change' || name === 'write_anyway')
      written.push(...text.split('\n').filter(Boolean))
  }
  const system = messages.map(({ role, text }) => (role === 'system' ? text : '')).join('\n')
  const section = system.split('RECENT NOTES TO SELF:\n')[1] ?? ''
  return {
    request: messages[asked]?.text ?? '',
    read,
    files,
    written,
    problem,
    answers: messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])),
    notes: section.split('\n\n', 1)[0]!.split('\n').filter(Boolean),
    noteOpening: /\[NOTE TO SELF[^:\n]{0,40}:/.exec(system)?.[0] ?? '[NOTE TO SELF:',
  }
}

/** Whether only the beginning of a file is in the context, because it is long. */
export const isClipped = (text: string) => /\[\d+ more characters\. /.test(text.slice(-200))
