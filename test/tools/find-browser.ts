import { existsSync } from 'node:fs'
import { findProgram } from './find-program.ts'

/** A Chrome or Chromium on this machine, or why there is none. */
export function findBrowser(): { readonly path: string } | { readonly problem: string } {
  const given = process.env.CHROME || process.env.CHROMIUM
  if (given && !existsSync(given))
    return { problem: `There is no browser at ${given}: see CHROME and CHROMIUM.` }
  const path = given || findProgram(...names) || usual.find(path => existsSync(path))
  if (path) return { path }
  return {
    problem:
      'No browser was found: install Chrome or Chromium (on Debian "apt-get install chromium-headless-shell"), or name one in CHROME.',
  }
}

const names = [
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
]

const usual = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
