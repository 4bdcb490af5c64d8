import { createRequire } from 'node:module'
import { join } from 'node:path'

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
  const root = join(import.meta.dirname, '../..')
  const { name, exports } = createRequire(import.meta.url)(join(root, 'package.json')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  }
  return Object.fromEntries(
    Object.entries(exports).map(([entry, target]) => [
      `${name}${entry.slice(1)}`,
      join(root, typeof target === 'string' ? target : target.default),
    ]),
  )
}
