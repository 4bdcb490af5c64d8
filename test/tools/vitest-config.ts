import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import { sourceOf } from '../../scripts/packages.mjs'
import { filesWithBrowser } from './files-with-browser.ts'
import { findBrowser } from './find-browser.ts'
import { skipReason } from './needs.ts'
import { ciOnly, isInTier, tierOf } from './tiers.ts'

const root = join(import.meta.dirname, '../..')

/**
 * What a file does that changes its process for others: it counts steps, which V8 does only in functions that have not run
 * before, or it resets modules, timers or the folder. Such a file runs in a process of its own.
 */
const changesProcess =
  /\/growth(?:\.ts)?'|\/count-steps(?:\.ts)?'|vi\.(?:resetModules|useFakeTimers)|process\.chdir/

const withAiSdk = [
  'packages/chat/src/bridges/ai-sdk/*.test.ts',
  'packages/models/src/dialects/ai-sdk/*.test.ts',
  'packages/chat/src/ui/*.test.ts',
  'packages/chat/test/ui-*.test.ts',
  'test/tabs/ui-*.test.ts',
  'packages/server/test/native/frameworks.test.ts',
]

/** How the tests of a folder are run: of the whole house, or of one package. All run from the root of the repository. */
export function configOf(folder: string): ViteUserConfig {
  process.chdir(root)
  const here = relative(root, folder).replaceAll('\\', '/')
  const tier = tierOf(process.env, process.argv.slice(2))
  if (tier === 'contributor')
    console.info(
      `Left to npm run test:ci, and to npm run test:long:\n  ${ciOnly.join('\n  ')}\n  the AI SDK 7`,
    )
  const files = testFiles(here).filter(file => isInTier(tier, file))
  const usable = files.filter(isUsable(files))
  const alone = usable.filter(file => changesProcess.test(readFileSync(join(root, file), 'utf8')))
  const shared = usable.filter(file => !alone.includes(file))
  return {
    root,
    resolve: { alias: entries() },
    test: {
      // A test waits for a third of its time: for a page, a process, a limit. One file more than there are cores fills it.
      maxWorkers: availableParallelism() + 1,
      // Most files share a process and its modules: to load them again for each would take a third of the time.
      projects: [
        { extends: true, test: { name: 'shared', isolate: false, include: shared } },
        { extends: true, test: { name: 'alone', include: alone } },
        // The same tests again with the next version of the AI SDK.
        {
          extends: true,
          resolve: {
            alias: [
              { find: /^ai(\/test)?$/, replacement: 'ai-7$1' },
              { find: /^@ai-sdk\/openai-compatible$/, replacement: 'ai-sdk-openai-compatible-3' },
            ],
          },
          test: {
            name: 'ai-7',
            isolate: false,
            include:
              tier === 'contributor' ? [] : withAiSdk.filter(pattern => pattern.startsWith(here)),
          },
        },
      ],
      // What is built is run as it is.
      server: { deps: { external: [/\/dist\//] } },
      setupFiles: ['close-after-file', 'seed-properties'].map(name => `test/tools/${name}.ts`),
      unstubEnvs: true,
      unstubGlobals: true,
      globalSetup: ['test/tools/start-shared-servers.ts'],
      // Only for what would never end: on a busy machine anything may take a hundred times as long.
      testTimeout: process.env.THROUGHLINE_LONG ? 1_800_000 : 600_000,
      hookTimeout: 600_000,
      teardownTimeout: 600_000,
      expect: { poll: { timeout: 240_000 }, requireAssertions: true },
    },
  }
}

/** The entries of the published package, as they stand in the source. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: object
  }
  return Object.keys(exports)
    .filter(entry => entry !== './package.json')
    .map(entry => ({
      find: new RegExp(`^throughline${entry.slice(1)}$`),
      replacement: join(root, sourceOf(entry)),
    }))
}

function testFiles(here: string): readonly string[] {
  return ['src', 'packages', 'test']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        file => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter(
      file =>
        file.endsWith('.test.ts') && !file.includes('/node_modules/') && file.startsWith(here),
    )
}

/** Leaves out the files that need a browser where there is none. */
function isUsable(files: readonly string[]): (file: string) => boolean {
  const withBrowser = filesWithBrowser(
    files.map(file => join(root, file)),
    join(root, 'test/tools/open-page.ts'),
  )
  const browser = findBrowser()
  const reason =
    withBrowser.length > 0 && 'problem' in browser
      ? skipReason(`${withBrowser.length} files of tests that open a page`, browser.problem)
      : undefined
  return file => reason === undefined || !withBrowser.includes(join(root, file))
}
