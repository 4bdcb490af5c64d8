import { constants, openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { present } from '@throughline/core/values'
import type { Imported, ImportOptions } from '@throughline/history/transfer'
import { openImportFile } from '../archive/import-file.ts'
import { askServer, type ServerFlags } from './ask-server.ts'
import { type LogOptions, writeHistory } from './open-log.ts'

/** Imports a file; without its name, what is piped in. */
type ImportFrom = (file: string | undefined) => Promise<Imported>

type Use = (importFrom: ImportFrom) => Promise<void>

export const intoDatabase = (
  { as, person, ...options }: LogOptions & ImportOptions,
  use: Use,
): Promise<void> =>
  writeHistory(options, history =>
    use(async file => {
      const text = file === undefined ? standardInput() : await openImportFile(file)
      return history.import(text, { as, person })
    }),
  )

/** Into the log of a server that is running, for whom its key says. */
export async function intoServer(
  { server, key, as, person }: ServerFlags & ImportOptions,
  use: Use,
): Promise<void> {
  const ask = askServer(server!, key)
  const query = new URLSearchParams(present({ as, person }))
  await use(async file => {
    const body = file === undefined ? new Blob([await text(process.stdin)]) : await blobOf(file)
    return (await (await ask('POST', `/import?${query}`, body)).json()) as Imported
  })
}

/** Read while it is sent. A file that cannot be read is told of in the system's words. */
async function blobOf(file: string): Promise<Blob> {
  await access(file, constants.R_OK)
  return openAsBlob(file)
}

/** What is piped in. It is kept in memory, because it is read twice. */
async function* standardInput(): AsyncGenerator<string> {
  process.stdin.setEncoding('utf8')
  for await (const piece of process.stdin) yield piece as string
}
