import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Packages that only one part of the page needs stay with it: the palette, Markdown, goals, plans. */
const alone = [
  ...['cmdk', '@radix-ui', 'react-remove-scroll', 'react-style-singleton'],
  ...['aria-hidden', 'use-sidecar', 'use-callback-ref', 'get-nonce'],
  ...['markdown-it', 'mdurl', 'uc.micro', 'punycode', '@marcbachmann', 'jsonc-parser'],
  ...['@base-ui/react/tabs', '@base-ui/react/internals/composite'],
]

/** Parts that few views need stay with these: Context, the largest view, needs none of them at first. */
const seldom = [
  ...['json-tree', 'live-replies', 'plot', 'gauge', 'long-text', 'search-field', 'import-files'],
  ...['chat-queries', 'key-field', 'matches-words'],
]

/** The inspector: a page of files that the server gives out below /inspector. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/inspector/',
  plugins: [react()],
  // Two packages of Markdown that the page does not need: with them it would be twice as large.
  resolve: {
    alias: {
      'linkify-it': join(import.meta.dirname, 'slim/linkify-it.ts'),
      entities: join(import.meta.dirname, 'slim/entities.ts'),
    },
  },
  // It knows `composes`. Its targets are those of the build, as it counts versions.
  css: {
    transformer: 'lightningcss',
    lightningcss: {
      targets: { chrome: 123 << 16, firefox: 120 << 16, safari: (17 << 16) | (5 << 8) },
    },
  },
  build: {
    outDir: join(import.meta.dirname, '../../dist/inspector'),
    emptyOutDir: true,
    // Browsers with `light-dark()`: the styles stay as they are written.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A strict content security policy allows no `data:` scripts or fonts, and a polyfill would be one more file.
    assetsInlineLimit: 0,
    // A view that is opened while the server is started again needs only its own file, and a first visit few requests.
    cssCodeSplit: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: new RegExp(`node_modules[\\\\/](?!${alone.join('|')})`),
              priority: 1,
            },
            {
              name: 'parts',
              // The fates of entries are code of the core that nearly all views read.
              test: new RegExp(
                `core[\\\\/]src[\\\\/]log[\\\\/]fate|inspector[\\\\/]src[\\\\/](?:api|parts)[\\\\/](?!(?:${seldom.join('|')})\\.)`,
              ),
            },
          ],
        },
      },
    },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The libraries are one file, which changes seldom.
    chunkSizeWarningLimit: 600,
    // The test of the page's size reads it.
    manifest: true,
  },
  // While working on the page: `npx vite inspector` beside `throughline serve`.
  server: { proxy: { '/throughline': process.env.THROUGHLINE_URL ?? 'http://127.0.0.1:4170' } },
})
