// The packages of this repository: where they stand, and what one may import of another.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ours = fileURLToPath(new URL('..', import.meta.url))
const read = (root, file) => JSON.parse(readFileSync(join(root, file), 'utf8'))

/** Folder and manifest of each package of a checkout. `test/tools` is one too: tests of all others use it. */
export function packagesOf(root = ours) {
  const inner = existsSync(join(root, 'packages')) ? readdirSync(join(root, 'packages')) : []
  return [...inner.map(name => `packages/${name}`), 'test/tools']
    .filter(folder => existsSync(join(root, folder, 'package.json')))
    .map(folder => ({ folder, manifest: read(root, `${folder}/package.json`) }))
}

/**
 * The file that a name leads to: `@throughline/core/errors` is `packages/core/src/doors/errors.ts`.
 * Undefined where it is no name of ours, or the package does not let others import it.
 */
export function fileOf(packages, name) {
  const owner = packages.find(
    ({ manifest }) => name === manifest.name || name.startsWith(`${manifest.name}/`),
  )
  if (!owner) return undefined
  const inner = `.${name.slice(owner.manifest.name.length)}`
  for (const [pattern, target] of Object.entries(owner.manifest.exports ?? {})) {
    const [head, tail] = pattern.split('*')
    if (tail === undefined ? pattern !== inner : !inner.startsWith(head) || !inner.endsWith(tail))
      continue
    const part = tail === undefined ? '' : inner.slice(head.length, inner.length - tail.length)
    return join(owner.folder, target.replace('*', part)).replaceAll('\\', '/')
  }
  return undefined
}

/** The source of an entry of the published package, as `tsconfig.json` names it. */
export function sourceOf(entry) {
  const { paths } = read(ours, 'tsconfig.json').compilerOptions
  const name = `throughline${entry.slice(1)}`
  const wild = name.lastIndexOf('/') + 1
  const [path] = paths[name] ?? paths[`${name.slice(0, wild)}*`]
  return path.slice(2).replace('*', name.slice(wild))
}
