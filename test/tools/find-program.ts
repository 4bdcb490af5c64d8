import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program stands: in a folder of PATH, or where Debian puts servers, which is not on everybody's path. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin']
  return names
    .flatMap(name => folders.map(folder => join(folder, name)))
    .find(path => existsSync(path))
}
