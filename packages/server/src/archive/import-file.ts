import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { few } from '@throughline/core/values'
import { InvalidImportError, type TextPieces } from '@throughline/history/transfer'
import { isZip, listEntries, readEntry, type ZipEntry } from './zip.ts'

/** What opens the text of a file to import: the file itself, or the conversations in a ZIP archive, such as ChatGPT sends it. */
export async function openImportFile(
  path: string,
  most = Number.POSITIVE_INFINITY,
): Promise<() => TextPieces> {
  const file = await open(path, 'r')
  try {
    if (!(await isZip(file))) return () => createReadStream(path, 'utf8')
    const entries = (await listEntries(file)).filter(({ name }) => chats.test(basename(name)))
    if (entries.length === 0) throw nothingIn(await listEntries(file))
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    return () => textsOf(path, entries, most)
  } finally {
    await file.close()
  }
}

/** A large export of ChatGPT has its conversations in several files. */
const chats = /^conversations(?:-\d{1,6})?\.json$/

function nothingIn(entries: readonly ZipEntry[]): InvalidImportError {
  const names = few(
    entries.map(({ name }) => JSON.stringify(name)),
    5,
  )
  const problem = `the ZIP archive has no conversations.json, but ${names || 'nothing'}: unpack it, and import the file that has the chats.`
  return new InvalidImportError({ line: 1 }, problem)
}

async function* textsOf(
  path: string,
  entries: readonly ZipEntry[],
  most: number,
): AsyncGenerator<string> {
  const file = await open(path, 'r')
  try {
    let room = most
    for (const entry of entries) {
      room -= entry.size
      if (room < 0)
        throw new InvalidImportError({ line: 1 }, `its archive unpacks to more than ${most} bytes.`)
      // A letter may end in the next piece.
      const decoder = new TextDecoder()
      for await (const piece of readEntry(file, entry))
        yield decoder.decode(piece, { stream: true })
      yield `${decoder.decode()}\n`
    }
  } finally {
    await file.close()
  }
}
