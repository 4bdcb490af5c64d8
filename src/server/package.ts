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
