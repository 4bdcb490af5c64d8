import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { packageFile } from '@throughline/server/package'
import { mostBytes, type SiteFolder } from '../../examples/site-editor/site-folder.ts'
import { SiteError, show, toNames } from '../../examples/site-editor/site-path.ts'

/** As many files as a visitor needs: the whole site is held in memory. */
const mostFiles = 50

const textEndings = ['.html', '.css', '.js', '.svg', '.txt', '.md']

/** A site that stands in memory, with the pages that a new one begins with. Nothing is written to the disk. */
export function memorySite(): SiteFolder {
  const files = new Map(starter())
  const nameOf = (path: string) => toNames(path).join('/')
  const textAt = (path: string): string => {
    const text = files.get(nameOf(path))
    if (text !== undefined) return text
    throw new SiteError(
      'no_file',
      `there is no file ${show(path)}: list_files says which there are`,
    )
  }
  return {
    list: async () => [...files.keys()].sort(),
    read: async path => Buffer.from(textAt(path)),
    readText: async path => textAt(path),
    async write(path, text) {
      const name = nameOf(path)
      if (!textEndings.includes(extname(name).toLowerCase()))
        throw new SiteError('bad_path', `${show(path)} must end in one of ${textEndings.join(' ')}`)
      if (Buffer.byteLength(text) > mostBytes)
        throw new SiteError(
          'too_large',
          `${show(path)} is too long: at most ${mostBytes} bytes are taken`,
        )
      const isNew = !files.has(name)
      if (isNew && files.size >= mostFiles)
        throw new SiteError('too_many_files', `the site has ${mostFiles} files, and takes no more`)
      files.set(name, text)
      return isNew
    },
    async remove(path) {
      const name = nameOf(path)
      if (name === 'index.html')
        throw new SiteError('bad_path', `${show(path)} is the first page, and stays`)
      textAt(path)
      files.delete(name)
    },
  }
}

let read: readonly (readonly [string, string])[] | undefined

function starter(): readonly (readonly [string, string])[] {
  const folder = packageFile('examples/site-editor/starter')
  read ??= readdirSync(folder).map(
    name => [name, readFileSync(join(folder, name), 'utf8')] as const,
  )
  return read
}
