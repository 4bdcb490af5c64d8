import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** The folder of the published package. By name and not by a relative path, because the build joins files and moves them. */
const { folder, manifest } = findPackage(import.meta.dirname)

export { manifest }

function findPackage(folder: string): { folder: string; manifest: Manifest } {
  const file = join(folder, 'package.json')
  const manifest = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest)
    : undefined
  if (manifest?.name === 'throughline') return { folder, manifest }
  if (dirname(folder) === folder)
    throw new Error('The folder of throughline has no package.json: install it again.')
  return findPackage(dirname(folder))
}

export const packageFile = (path: string) => join(folder, path)

/** Loads and runs a module, in TypeScript or JavaScript, on every supported Node. */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  // No cache on disk: it would be written into the folder of the module.
  const { createJiti } = await import('jiti')
  const jiti = createJiti(path, { fsCache: false, alias: aliasesFor(path) })
  return jiti.import<Record<string, unknown>>(path)
}

/** A module imports the throughline that is installed beside it, or else this one. */
function aliasesFor(path: string): Record<string, string> {
  try {
    createRequire(path).resolve('throughline/package.json')
    return {}
  } catch {}
  return Object.fromEntries(
    Object.entries(manifest.exports).map(([entry, target]) => [
      `${manifest.name}${entry.slice(1)}`,
      packageFile(typeof target === 'string' ? target : target.default),
    ]),
  )
}
