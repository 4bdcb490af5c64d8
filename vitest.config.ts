import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^throughline$/, replacement: source('index.ts') },
      { find: /^throughline\/notes$/, replacement: source('notes/index.ts') },
      { find: /^throughline\/digests$/, replacement: source('context/digests/index.ts') },
      { find: /^throughline\/tokens$/, replacement: source('tokens/index.ts') },
      { find: /^throughline\/stores$/, replacement: source('stores/index.ts') },
      { find: /^throughline\/tokens\/(.+)$/, replacement: source('tokens/$1.ts') },
      { find: /^throughline\/stores\/(.+)$/, replacement: source('stores/$1/$1-store.ts') },
      { find: /^throughline\/models$/, replacement: source('models/index.ts') },
      { find: /^throughline\/chat$/, replacement: source('chat/index.ts') },
      { find: /^throughline\/experiment$/, replacement: source('experiment/index.ts') },
      { find: /^throughline\/ai-sdk$/, replacement: source('bridges/ai-sdk/index.ts') },
      { find: /^throughline\/langchain$/, replacement: source('bridges/langchain/index.ts') },
      { find: /^throughline\/request$/, replacement: source('request/index.ts') },
      { find: /^throughline\/testing$/, replacement: source('testing/index.ts') },
    ],
  },
  test: {
    // By default one core is left out, which of two is half of them.
    maxWorkers: '100%',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/start-shared-servers.ts'],
    // Only for what would never end: on a busy machine anything may take a hundred times as long.
    testTimeout: process.env.THROUGHLINE_LONG ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
