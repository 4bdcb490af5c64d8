import type { FateRun } from '../../parts/fates.ts'
import { fateAt } from '../../parts/fates.ts'
import type { Brief } from '../../parts/log-scale.ts'
import type { AnyMessage } from '../../parts/message-text.ts'

/** One call of a tool, with the place of its result. */
export interface ToolRun {
  /** Its number among all calls, from 1. */
  readonly number: number
  readonly tool: string
  /** The reply that calls, and which of its calls this is. */
  readonly seq: number
  readonly at: number
  /** The entry of its result; absent while the client owes it. */
  readonly result: number | undefined
}

/** All calls of a thread, oldest first. The results of a reply follow it in the order of its calls. */
export function toolRunsOf(
  entries: readonly Pick<Brief, 'seq' | 'role' | 'calls'>[],
): readonly ToolRun[] {
  const runs: ToolRun[] = []
  for (const [index, { seq, calls }] of entries.entries())
    for (const [at, tool] of (calls ?? []).entries()) {
      const isResult = entries.slice(index + 1, index + 2 + at).every(({ role }) => role === 'tool')
      const result = isResult ? entries[index + 1 + at]?.seq : undefined
      runs.push({ number: runs.length + 1, tool, seq, at, result })
    }
  return runs
}

/** What became of a call in the newest context: its result tells, else the reply that calls. */
export const fateOfRun = (runs: readonly FateRun[], { seq, result }: ToolRun) =>
  fateAt(runs, result ?? seq)

/** The arguments of one of the calls of a message, in whatever form it has them. */
export function argumentsOf(message: AnyMessage, at: number): string {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls : partsOf(message.content)
  const call = (listed[at] ?? {}) as Readonly<Record<string, unknown>>
  const { function: called = call } = call as {
    readonly function?: Readonly<Record<string, unknown>>
  }
  const value = called.arguments ?? called.input ?? called.args
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

const partsOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content)
    ? content.filter(part =>
        ['tool-call', 'tool_use'].includes(String((part as { type?: unknown })?.type)),
      )
    : []
