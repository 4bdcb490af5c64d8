import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
// By name and not by a relative path, because the build joins files and moves them.
const place = require.resolve('throughline/package.json')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

export const manifest: Manifest = require(place)

export const packageFile = (path: string) => join(dirname(place), path)

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
