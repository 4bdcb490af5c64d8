import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EditorEvent } from '../../examples/site-editor/editor.ts'
import type { Row } from '../../examples/site-editor/rows.ts'

export interface EditorClient {
  readonly rows: readonly Row[]
  readonly isBusy: boolean
  readonly files: readonly string[]
  /** All that came over the network. */
  readonly received: string
  post(path: string, body?: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Sends a message and waits for the end of its turn. */
  say(text: string): Promise<void>
  /** Resolves as soon as this is so; rejects when the connection ends before. */
  until(isSo: () => boolean): Promise<void>
  dump(): Promise<string>
  close(): void
}

/** Does what the page does: listens to the events and keeps the rows. */
export async function connect(url: string): Promise<EditorClient> {
  const connection = new AbortController()
  const response = await fetch(`${url}/api/events`, { signal: connection.signal })
  let rows: Row[] = []
  let [received, isBusy, turns, isOpen]: [string, boolean, number, boolean] = ['', false, 0, true]
  let files: readonly string[] = []
  let waiting: (() => void)[] = []

  function take(event: EditorEvent): void {
    if (event.type === 'state') {
      rows = [...event.rows]
      if (isBusy && !event.isBusy) turns += 1
      isBusy = event.isBusy
    }
    if (event.type === 'row') rows[event.at] = event.row
    const row = event.type === 'text' ? rows[event.at] : undefined
    if (event.type === 'text' && row?.kind === 'agent')
      rows[event.at] = { ...row, text: row.text + event.text }
    if (event.type === 'files') files = event.files
  }

  async function read(): Promise<void> {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      received += chunk
      const events = (rest + chunk).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        if (event.startsWith('data: ')) take(JSON.parse(event.slice(6)))
        // After each one: what came together may have been so only for a moment.
        wake()
      }
    }
  }

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const one of woken) one()
  }

  read()
    .catch(() => undefined)
    .finally(() => {
      isOpen = false
      wake()
    })

  const client: EditorClient = {
    get rows() {
      return rows
    },
    get isBusy() {
      return isBusy
    },
    get files() {
      return files
    },
    get received() {
      return received
    },
    post: (path, body = '', headers = {}) =>
      fetch(url + path, { method: 'POST', body, headers: { origin: url, ...headers } }),
    async say(text) {
      const before = turns
      const response = await client.post('/api/messages', text)
      if (!response.ok) throw new Error(await response.text())
      await client.until(() => turns > before)
    },
    until: isSo =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (isSo()) resolve()
          else if (isOpen) waiting.push(look)
          else reject(new Error('The editor is gone.'))
        }
        look()
      }),
    dump: async () => (await (await fetch(`${url}/api/dump`)).json()).text,
    close: () => connection.abort(),
  }
  await client.until(() => files.length > 0)
  return client
}

/** The texts of the rows that a person or the agent said. */
export const saidIn = (rows: readonly Row[]) =>
  rows.flatMap(row => ('text' in row ? [row.text] : []))

export const siteFile = (data: string, path: string) =>
  readFileSync(join(data, 'site', path), 'utf8')
