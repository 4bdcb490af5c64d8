import type { RoleData } from '../../../../src/experiment/log/experiment-threads.ts'
import { groupBy } from '../../../../src/log/group-by.ts'
import { readMessage } from '../../../../src/log/parse-message.ts'
import { type AnyMessage, messageText } from '../../parts/message-text.ts'
import type { LogEntry } from '../../parts/use-texts.ts'

export type TurnPiece = ReturnType<typeof readTurn>[number]

/** Reads the entries of one turn: each call with its result. `isOpen`: the turn is not over. */
export function readTurn(entries: readonly LogEntry[], isOpen: boolean) {
  const instructionAt = entries.findLastIndex(
    ({ message }, at) =>
      message.role === 'user' && hookOf(entries[at]!) === undefined && isBeforeReply(entries, at),
  )
  // Models may use an id again in a later round.
  const results = groupBy(
    entries.filter(({ message }) => message.role === 'tool'),
    ({ message }) => String((message as AnyMessage).tool_call_id ?? ''),
  )
  const lastReply = entries.findLastIndex(({ message }) => message.role === 'assistant')
  return entries.flatMap((entry, at) => {
    const message = entry.message as AnyMessage
    const { seq } = entry
    if (message.role === 'tool') return []
    const { calls } = readMessage(message, seq)
    const text = messageText({ role: message.role, content: message.content })
    const who = message.role === 'assistant_note' ? 'note to itself' : message.role
    const piece = { kind: 'text' as const, seq, who, from: fromOf(entry, at, instructionAt), text }
    const end = at < lastReply ? 'goes on' : isOpen ? '' : 'ended the turn'
    return [
      ...(text === '' && calls.length > 0 ? [] : [piece]),
      ...calls.map((call, index) => {
        const result = results.get(call.id ?? '')?.find(one => one.seq > seq)
        return {
          ...{ kind: 'tool' as const, seq, name: call.name, arguments: call.arguments },
          from: index === calls.length - 1 ? end : '',
          /** Absent while the tool runs. */
          result: result && messageText({ role: 'tool', content: (result.message as AnyMessage).content }),
          isError: result?.isError === true,
          changes: result ? changesOf(result) : [],
        }
      }),
    ]
  })
}

const isBeforeReply = (entries: readonly LogEntry[], at: number) =>
  !entries.slice(0, at).some(({ message }) => message.role === 'assistant')

/** Where an entry came from: `told by the step`, `injected by the hook before-model`. */
function fromOf(entry: LogEntry, at: number, instructionAt: number): string {
  if (entry.isClosing) return 'written to close the turn'
  if (entry.message.role !== 'user') return ''
  const hook = hookOf(entry)
  if (hook !== undefined) return `injected by the hook ${hook}`
  return at === instructionAt ? 'told by the step' : 'injected by the hook before-role'
}

/** The point of the hook that injected an entry; its key is `["before-model",12,"owner",1,0]`. */
function hookOf({ data }: LogEntry): string | undefined {
  const { hook } = (data ?? {}) as { readonly hook?: unknown }
  return typeof hook === 'string' ? (/^\["([a-z-]+)"/.exec(hook)?.[1] ?? '') : undefined
}

/** A value is JSON; undefined where something was removed. */
function changesOf({ data }: LogEntry): readonly { readonly name: string; readonly value?: string }[] {
  const { patches = [] } = (data ?? {}) as RoleData
  return patches.map(({ path, value }) => ({ name: path.join('.'), value: JSON.stringify(value) }))
}
