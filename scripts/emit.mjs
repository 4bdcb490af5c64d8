// Compiles the packages file by file: `packages/core/src/fit.ts` gives `core/fit.js` or `core/fit.d.ts`. Imports by the name of
// a package become relative ones, because no user has these packages.
// `node scripts/emit.mjs FOLDER` writes modules: `npm run modules`. The build writes declarations.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileOf, packagesOf } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = packagesOf()

/** Where what is made of a source stands. */
export const placeOf = source =>
  source.replace(/^packages\/([^/]+)\/src\//, '$1/').replace(/^src\//, '')

/** Writes the declarations of the packages into a folder, or with `modules` their code. */
export async function emit(folder, { modules = false } = {}) {
  const made = `${folder}.made`
  const kind = modules ? ['--declaration', 'false', '--emitDeclarationOnly', 'false'] : []
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', made, ...kind]
  const [status] = await once(
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }),
    'close',
  )
  if (status !== 0) process.exit(status ?? 1)
  for (const name of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[jt]s$/.test(name)) continue
    const source = name.replaceAll('\\', '/')
    const to = join(folder, placeOf(source))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, relativeImports(readFileSync(join(made, name), 'utf8'), placeOf(source)))
  }
  rmSync(made, { recursive: true })
}

function relativeImports(text, place) {
  return text.replace(
    /((?:from |import\(|import )['"])(@throughline\/[^'"]+)(?=['"])/g,
    (_, head, name) => {
      const file = fileOf(packages, name)
      if (!file) throw new Error(`${place} imports ${name}, which its package does not export.`)
      const path = relative(dirname(place), placeOf(file)).replaceAll('\\', '/')
      return `${head}${path.startsWith('.') ? path : `./${path}`}`.replace(/\.ts$/, '.js')
    },
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await emit(process.argv[2], { modules: true })
