/** The editor as the page sees it: rows and files, and what happens while a turn is answered. */
import { dump } from 'throughline/explain'
import { type Agent, conversation } from './agent.ts'
import { createRows, type Row, readRows } from './rows.ts'
import { siteChips } from './site-chips.ts'
import { isOfChange } from './understand.ts'

/** What goes to the page. The rows of a turn that is being answered come one by one, and grow. */
export type EditorEvent =
  | {
      readonly type: 'state'
      readonly rows: readonly Row[]
      readonly isBusy: boolean
      readonly model: string
      /** What works now, word for word. */
      readonly chips: readonly string[]
    }
  | { readonly type: 'row'; readonly at: number; readonly row: Row }
  | { readonly type: 'text'; readonly at: number; readonly text: string }
  | { readonly type: 'files'; readonly files: readonly string[]; readonly changed?: string }
  /** For the user, until the next message: an error, or that the model is asked once more. */
  | { readonly type: 'problem'; readonly text: string }

export interface Editor {
  /** Calls the listener with the state, and from then on with each event. Gives a function that stops it. */
  listen(listener: (event: EditorEvent) => void): Promise<() => void>
  /** Begins a turn; false while another one is being answered. */
  send(text: string): boolean
  /** Cancels the turn that is being answered, if any. */
  cancel(): void
  /** For developers: what the model would be sent now. */
  dump(): Promise<ContextDump>
  /** Cancels what is going on and waits for its end. */
  close(): Promise<void>
}

export interface ContextDump {
  readonly text: string
  readonly tokens: number
  readonly window: number
  readonly tools: readonly object[]
}

const changing: ReadonlySet<string> = new Set([
  'write_file',
  'remove_file',
  'undo_change',
  'write_anyway',
])

/** Older messages stay in the log; the page shows the newest. */
const mostShown = 400

export async function createEditor({
  chat,
  thread,
  site,
  changes,
  model,
  history,
}: Agent): Promise<Editor> {
  const listeners = new Set<(event: EditorEvent) => void>()
  const tell = (event: EditorEvent) => {
    for (const listener of listeners) listener(event)
  }
  /** The rows of the turns that are over, from the log; and those of the turn that is being answered. */
  let closed = await readLog()
  let chips = await readChips()
  let live: ReturnType<typeof createRows> | undefined
  let turn: { readonly cancel: AbortController; readonly over: Promise<void> } | undefined

  function readLog(): Promise<readonly Row[]> {
    return readRows(thread, { limit: mostShown })
  }

  async function readChips(): Promise<readonly string[]> {
    const notes = (await thread.notes()).filter(isOfChange)
    const last = closed.findLast(row => row.kind === 'agent')
    const files = await site.list()
    return siteChips(
      { files, notes, canUndo: changes.canUndo },
      last?.kind === 'agent' ? last.text : '',
    )
  }

  const state = (): EditorEvent => ({
    type: 'state',
    rows: [...closed, ...(live?.rows ?? [])],
    isBusy: live !== undefined,
    model: model.name,
    chips,
  })

  async function answer(text: string, signal: AbortSignal): Promise<void> {
    changes.begin()
    const rows = createRows()
    const tellRow = (at: number | undefined) => {
      if (at !== undefined) tell({ type: 'row', at: closed.length + at, row: rows.rows[at]! })
    }
    live = rows
    rows.user(text)
    tell(state())
    // Parts of other types are not for the page: a note, or a context, which has notes in it.
    for await (const part of chat.send(text, { conversation, signal })) {
      if (part.type === 'text-delta') {
        const before = rows.rows.length
        const at = rows.say(part.text)
        if (at === before) tellRow(at)
        else tell({ type: 'text', at: closed.length + at, text: part.text })
      } else if (part.type === 'tool-call') tellRow(rows.call(part.id, part.name, part.arguments))
      else if (part.type === 'tool-result') {
        const at = rows.result(part.id, part.text, part.isError)
        tellRow(at)
        const row = rows.rows[at ?? -1]
        if (row?.kind === 'tool' && changing.has(row.tool)) await tellFiles(row.path)
      } else if (part.type === 'error') tell({ type: 'problem', text: part.error.message })
      else if (part.type === 'warning') tell({ type: 'problem', text: part.message })
    }
  }

  /** What stays of a turn is what the log has; if it cannot be read, what was seen. */
  async function settle(): Promise<void> {
    closed = await readLog().catch(() => [...closed, ...(live?.rows ?? [])])
    live = undefined
    turn = undefined
    chips = await readChips().catch(() => [])
    tell(state())
  }

  async function tellFiles(changed: string): Promise<void> {
    tell({ type: 'files', files: await site.list(), changed })
  }

  return {
    async listen(listener) {
      const files = await site.list()
      listener(state())
      listener({ type: 'files', files })
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    send(text) {
      if (turn) return false
      const cancel = new AbortController()
      const over = answer(text, cancel.signal)
        .catch(error => tell({ type: 'problem', text: String(error?.message ?? error) }))
        .then(settle)
      turn = { cancel, over }
      return true
    },
    cancel: () => turn?.cancel.abort(),
    async dump() {
      const context = await chat.context({ conversation })
      const { tokens, tools, receipt, factor } = context
      const inTokens = (count: number) => Math.round(count * factor)
      return { text: dump(context), tokens: inTokens(tokens), window: receipt.window, tools }
    },
    async close() {
      turn?.cancel.abort()
      await turn?.over
      await history.close()
    },
  }
}
