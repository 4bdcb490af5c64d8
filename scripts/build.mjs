// Builds the package into dist/: `npm run build`. The packages that the code uses are copied in, so an install brings 5 packages instead of 122
// (bench/notes/install.md). The price: a fix in a copied package reaches users with our next release, not by `npm update`. Not minified, so that a
// stack trace names our functions. jiti is not copied, because it finds its own compiler on disk.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { build as buildPage } from 'vite'
import { emit } from './emit.mjs'
import { sourceOf } from './packages.mjs'
import { thirdPartyLicences } from './third-party-licences.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { bin, exports, dependencies, optionalDependencies, peerDependencies } = manifest

/** The entries of the package, each with its source, what is built of it and its declarations. */
const library = Object.entries(exports).flatMap(([entry, target]) =>
  target.default
    ? [{ name: toName(target.default), types: target.types, source: sourceOf(entry) }]
    : [],
)
const programs = Object.values(bin).map(target => ({
  name: toName(target),
  source: `src/${toName(target)}.ts`,
}))

/** What is installed beside this package. All other packages are copied into it. */
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

const began = Date.now()
// The compiler takes as long as the bundles, so they are made at the same time.
const [codeIds, pageIds] = await Promise.all([
  bundleCode(),
  bundlePage(),
  emit(join(dist, 'types')),
])
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), thirdPartyLicences([...codeIds, ...pageIds]))
deleteInnerTypes()
deleteOld()

/**
 * One build of all entries and of the command line: what several of them use is a file in `dist/parts`, so that there is
 * one instance of everything, also for plans and tools that the command line loads and that import the library.
 */
async function bundleCode() {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries([...library, ...programs].map(({ name, source }) => [name, source])),
    platform: 'node',
    resolve: {
      alias: {
        undici$: join(root, 'scripts/undici-pool.cjs'),
        // Its other build loads its parts in a way that cannot be copied.
        'jsonc-parser$': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
      },
    },
    // How long a plugin takes depends on the machine, and is nothing that whoever builds could mend.
    checks: { bundlerTimings: false },
    external: id => installed.some(name => id === name || id.startsWith(`${name}/`)),
  })
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
    // The declarations have them.
    comments: { jsdoc: false },
  })
  await build.close()
  return output.flatMap(chunk => chunk.moduleIds ?? [])
}

async function bundlePage() {
  const found = []
  const findModules = {
    name: 'find-modules',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) found.push(...(chunk.moduleIds ?? []))
    },
  }
  await buildPage({
    root: join(root, 'packages/inspector'),
    logLevel: 'warn',
    plugins: [findModules],
  })
  return found
}

/** Deletes the declarations that no entry leads to: they may name packages that are not installed. */
function deleteInnerTypes() {
  const needed = new Set(library.map(({ types }) => join(root, types)))
  // A set also gives what is added while it is read.
  for (const file of needed)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]*)\.[jt]s['"]/g,
    ))
      needed.add(join(dirname(file), `${path}.d.ts`))
  for (const file of filesIn(dist)) if (file.endsWith('.d.ts') && !needed.has(file)) rmSync(file)
}

/** Deletes what an earlier build left, at the end, so that what runs from `dist` can go on. Vite does it for the page. */
function deleteOld() {
  const page = join(dist, 'inspector')
  for (const file of filesIn(dist))
    if (!file.startsWith(page) && statSync(file).mtimeMs < began) rmSync(file)
}

function filesIn(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return found.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

/** `./dist/tokens/o200k.js` is `tokens/o200k`. */
function toName(target) {
  return target.replace(/^\.\/dist\/|\.js$/g, '')
}
