import { createRequire } from 'node:module'
import { join } from 'node:path'
import { UserError } from '../user-error.ts'

/**
 * Loads and runs a module that the user named, in TypeScript or JavaScript, on every supported Node.
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  // No cache on disk: it would be written into the user's folder.
  const { createJiti } = await import('jiti')
  const jiti = createJiti(path, { fsCache: false, alias: aliasesFor(path) })
  try {
    return await jiti.import<Record<string, unknown>>(path)
  } catch (error) {
    throw new UserError(`cannot load ${path}: ${firstLine(error)}`, { cause: error })
  }
}

/** A plan imports the throughline that is installed beside it, or else the package of this command. */
function aliasesFor(path: string): Record<string, string> {
  try {
    createRequire(path).resolve('throughline/package.json')
    return {}
  } catch {
    return ownEntries()
  }
}

function ownEntries(): Record<string, string> {
  const root = join(import.meta.dirname, '../../..')
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

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.trim().split('\n', 1)[0]!
}
