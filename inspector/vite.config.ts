import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The inspector: a page of files that the server gives out below /inspector. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/inspector/',
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, '../dist/inspector'),
    emptyOutDir: true,
    // Browsers with `light-dark()`: the styles stay as they are written.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A strict content security policy allows no `data:` scripts or fonts, and a polyfill would be one more file.
    assetsInlineLimit: 0,
    // A view that is opened while the server is started again needs only its own file, and a first visit few requests.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Only the palette needs cmdk: it stays with it.
            { name: 'libraries', test: /node_modules[\\/](?!cmdk|@radix-ui)/, priority: 1 },
            { name: 'parts', test: /inspector[\\/]src[\\/](?:api|parts)[\\/]/ },
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
