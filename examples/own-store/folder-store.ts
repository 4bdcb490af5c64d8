import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { documentStore, type Store } from 'throughline/stores'

/** A folder with one JSON file for each conversation, for one process. */
export function folderStore(folder: string): Store {
  return documentStore({
    async load(name) {
      const text = read(join(folder, name))
      return text === undefined ? undefined : { text, version: text }
    },
    // Nothing is awaited between the comparison and the renaming, so no other write of this process comes between them.
    async save(name, text, expected) {
      const path = join(folder, name)
      if (read(path) !== expected) return false
      mkdirSync(dirname(path), { recursive: true })
      // Written beside the old file and put in its place: it is on disk when this returns, and never half of it.
      writeFileSync(`${path}.new`, text, { flush: true })
      renameSync(`${path}.new`, path)
      for (const changed of [dirname(path), folder]) sync(changed)
      return true
    },
    async list(prefix) {
      const under = join(folder, prefix)
      const names = existsSync(under)
        ? readdirSync(under, { recursive: true, encoding: 'utf8' })
        : []
      return names.filter(name => name.endsWith('.json')).map(name => prefix + name)
    },
  })
}

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

function sync(path: string): void {
  const opened = openSync(path, 'r')
  fsyncSync(opened)
  closeSync(opened)
}
