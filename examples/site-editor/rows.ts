/** What the page shows of a conversation: rows. Notes never become rows. */
import { parseMessage } from 'throughline'
import type { Thread } from 'throughline/history'

export type Row =
  | { readonly kind: 'user' | 'agent'; readonly text: string }
  | {
      readonly kind: 'tool'
      readonly tool: string
      readonly path: string
      readonly state: 'running' | 'done' | 'failed'
      /** What came of it, in a few words. */
      readonly outcome: string
    }
  | { readonly kind: 'ending'; readonly status: string }

/** Gathers the rows of a turn as they come. Each method gives the place of the row that it added or changed. */
export function createRows() {
  const rows: Row[] = []
  /** The place of each call's row. */
  const calls = new Map<string, number>()
  const add = (row: Row) => rows.push(row) - 1
  return {
    rows: rows as readonly Row[],
    user: (text: string) => add({ kind: 'user', text }),
    say(text: string): number {
      const last = rows.at(-1)
      if (last?.kind !== 'agent') return add({ kind: 'agent', text })
      rows[rows.length - 1] = { kind: 'agent', text: last.text + text }
      return rows.length - 1
    },
    call(id: string, tool: string, json: string): number {
      const at = add({ kind: 'tool', tool, path: pathIn(json), state: 'running', outcome: '' })
      calls.set(id, at)
      return at
    },
    result(id: string, text: string, isError: boolean): number | undefined {
      const at = calls.get(id)
      const row = at === undefined ? undefined : rows[at]
      if (at === undefined || row?.kind !== 'tool') return undefined
      const state = isError ? 'failed' : 'done'
      rows[at] = {
        ...row,
        state,
        outcome: isError ? cut(text.replace('Error: ', '')) : outcomeOf(row.tool, text),
      }
      return at
    },
    end: (status: string) => (status === 'completed' ? undefined : add({ kind: 'ending', status })),
  }
}

/** The rows of the newest part of a thread: what its user may see. A turn that was broken off says so at its end. */
export async function readRows(
  thread: Thread,
  options: { limit: number },
): Promise<readonly Row[]> {
  const messages = await thread.display(options)
  const [from = 0, to = 0] = [messages[0]?.seq, messages.at(-1)?.seq]
  const entries = to > 0 ? await thread.entries({ at: to, limit: to - from + 1 }) : []
  const failed = new Set(entries.filter(({ isError }) => isError).map(({ seq }) => seq))
  const turns = await thread.turns()
  const broken = turns.filter(
    ({ status, last }) => status !== 'completed' && status !== 'open' && last >= from,
  )
  const { rows, user, say, call, result, end } = createRows()
  const closeBefore = (seq: number) => {
    while (broken[0] && broken[0].last < seq) end(broken.shift()!.status)
  }
  for (const message of messages) {
    closeBefore(message.seq)
    const { role, text, calls, results } = parseMessage(message, message.seq)
    if (role === 'user') user(text)
    if (role === 'assistant' && text !== '') say(text)
    for (const { id = '', name, arguments: json } of calls) call(id, name, json)
    for (const { callId = '', text } of results) result(callId, text, failed.has(message.seq))
  }
  closeBefore(Number.POSITIVE_INFINITY)
  return rows.map(row => (row.kind === 'tool' && row.state === 'running' ? lost(row) : row))
}

const lost = (row: Extract<Row, { kind: 'tool' }>): Row => ({
  ...row,
  state: 'failed',
  outcome: 'no result',
})

/** Page and log say the same of a result: a figure, not the text of the file. */
function outcomeOf(tool: string, text: string): string {
  if (tool === 'list_files') return `${text.split('\n').filter(Boolean).length} files`
  if (tool === 'read_file') return `${text.length} characters`
  return cut(text)
}

const cut = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

function pathIn(json: string): string {
  try {
    const { path } = JSON.parse(json) as { path?: unknown }
    return typeof path === 'string' ? path.slice(0, 100) : ''
  } catch {
    return ''
  }
}
