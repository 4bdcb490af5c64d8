import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The core of a copy of a build with other constants, gone when the process ends. A change is `FILE:NAME=VALUE`: it gives
 * `const NAME = …` (or `NAME: …`) in context/FILE.js another value.
 */
export function copyWith(dist, changes) {
  const made = mkdtempSync(join(tmpdir(), 'trial-'))
  process.on('exit', () => rmSync(made, { recursive: true, force: true }))
  cpSync(resolve(dist), join(made, 'dist'), {
    recursive: true,
    filter: name => !name.endsWith('/inspector'),
  })
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(made, 'node_modules'),
  )
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }')
  for (const change of changes) {
    const [, file, name, value] = /^(.+?):(.+?)=(.+)$/.exec(change)
    const path = join(made, `dist/core/context/${file}.js`)
    const constant = new RegExp(`((?:const |^\\s*)${name}(?: = |: ))[^;\\n]*?(;|,\\n|\\n)`, 'm')
    const before = readFileSync(path, 'utf8')
    if (!constant.test(before)) throw new Error(`${file} has no ${name}`)
    writeFileSync(path, before.replace(constant, `$1${value}$2`))
  }
  return join(made, 'dist/core')
}
