import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A Chrome or Chromium on this machine. Where there is none, Debian's is installed if that is allowed; else this throws: tests
 * of the page never pass without a browser.
 */
export function findBrowser(): string {
  const found = fromEnvironment() ?? onPath() ?? usual.find(path => existsSync(path))
  if (found !== undefined) return found
  const isInstalled = process.getuid?.() === 0 && installed()
  const path = isInstalled ? onPath() : undefined
  if (path === undefined)
    throw new Error(
      'No browser was found: install Chrome or Chromium (on Debian "apt-get install chromium-headless-shell"), or name one in CHROME.',
    )
  return path
}

function fromEnvironment(): string | undefined {
  const given = process.env.CHROME || process.env.CHROMIUM
  if (given && !existsSync(given))
    throw new Error(`There is no browser at ${given}: see CHROME and CHROMIUM.`)
  return given || undefined
}

const names = [
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'chrome',
]

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

const usual = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Several test files may come here at once: apt-get waits for its lock. */
function installed(): boolean {
  const run = (...given: readonly string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...given], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => run('install', '-y', '--no-install-recommends', 'chromium-headless-shell')
  return install() || (run('update') && install())
}
