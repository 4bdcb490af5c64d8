import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { filesWithBrowser } from './test/files-with-browser.ts'
import { findBrowser } from './test/find-browser.ts'
import { skipReason } from './test/needs.ts'
import { ciOnly, isInTier, tierOf } from './test/tiers.ts'

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** The source of a built file. */
const source = (built: string) =>
  fileURLToPath(new URL(built.replace('dist', 'src').replace(/js$/, 'ts'), import.meta.url))

/**
 * What a file does that changes its process for others: it counts steps, which V8 does only in functions that have not run
 * before, or it resets modules, timers or the folder. Such a file runs in a process of its own.
 */
const changesProcess = /\/growth\.ts'|\/count-steps\.ts'|vi\.(?:resetModules|useFakeTimers)|process\.chdir/

const tier = tierOf(process.env, process.argv.slice(2))
if (tier === 'contributor')
  console.info(`Left to npm run test:ci, and to npm run test:long:\n  ${ciOnly.join('\n  ')}\n  the AI SDK 7`)

const filesOfTier = ['src', 'test'].flatMap(folder =>
  readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
    .map(file => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter(file => file.endsWith('.test.ts') && isInTier(tier, file)),
)

const root = fileURLToPath(new URL('.', import.meta.url))
const withBrowser = filesWithBrowser(
  filesOfTier.map(file => join(root, file)),
  join(root, 'test/open-page.ts'),
)
const browser = findBrowser()
const noBrowser =
  withBrowser.length > 0 && 'problem' in browser
    ? skipReason(`${withBrowser.length} files of tests that open a page`, browser.problem)
    : undefined
const files = noBrowser ? filesOfTier.filter(file => !withBrowser.includes(join(root, file))) : filesOfTier
const alone = files.filter(file => changesProcess.test(readFileSync(file, 'utf8')))
const shared = files.filter(file => !alone.includes(file))

const withAiSdk = [
  'src/bridges/ai-sdk/*.test.ts',
  'src/models/dialects/ai-sdk/*.test.ts',
  'src/chat/ui/*.test.ts',
  'test/chat/ui-*.test.ts',
  'test/tabs/ui-*.test.ts',
  'test/server/native/frameworks.test.ts',
]

export default defineConfig({
  resolve: {
    // The entries of the package, as they stand in the source.
    alias: Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === 'string'
        ? []
        : [{ find: new RegExp(`^throughline${entry.slice(1)}$`), replacement: source(target.default) }],
    ),
  },
  test: {
    // A test waits for a third of its time: for a page, a process, a limit. One file more than there are cores fills it.
    maxWorkers: availableParallelism() + 1,
    // Most files share a process and its modules: to load them again for each would take a third of the time.
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: shared },
      },
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
        test: { name: 'ai-7', isolate: false, include: tier === 'contributor' ? [] : withAiSdk },
      },
    ],
    // What is built is run as it is.
    server: { deps: { external: [/\/dist\//] } },
    setupFiles: ['test/close-after-file.ts', 'test/seed-properties.ts'],
    unstubEnvs: true,
    unstubGlobals: true,
    globalSetup: ['test/start-shared-servers.ts'],
    // Only for what would never end: on a busy machine anything may take a hundred times as long.
    testTimeout: process.env.THROUGHLINE_LONG ? 1_800_000 : 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { timeout: 240_000 }, requireAssertions: true },
  },
})
