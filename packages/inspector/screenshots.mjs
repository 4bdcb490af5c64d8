// npm run screenshots [-- FOLDER]: pictures of the main views of the built page, over a real server with its two samples,
// and over one that remembers across conversations.
// They are a third as large where Debian's pngquant is installed; those in docs are taken with Inter as the system font.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { runnerImport } from 'vite'

const root = join(import.meta.dirname, '../..')
const folder = process.argv[2] ?? join(root, 'docs/images')
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }

let { url, stop } = await serve()
const { module: browsers } = await runnerImport(join(root, 'test/tools/find-browser.ts'))
const found = browsers.findBrowser()
if ('problem' in found) throw new Error(found.problem)
const browser = await chromium.launch({
  executablePath: found.path,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
})
try {
  mkdirSync(folder, { recursive: true })
  // The first visit shows as long as there is nothing else.
  await shootAll({ welcome: '' })
  await shootAll(await addSamples())
  await stop()
  ;({ url, stop } = await serve('--remember', 'person'))
  await shootAll(await askOfOldChat())
} finally {
  await browser.close()
  await stop()
}

/** Calls the API as Ada. */
async function ask(method, path, body) {
  const headers = { 'x-throughline-person': 'ada' }
  const response = await fetch(`${url}/throughline/v1${path}`, { method, headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return text
}

/** Makes both samples, waits for the experiment, and gives the addresses of the views. */
async function addSamples() {
  const read = async (method, path) => JSON.parse(await ask(method, path))
  const { conversation } = await read('POST', '/samples/conversation')
  const { id: experiment } = await read('POST', '/samples/experiment')
  const hasEnded = async () =>
    (await read('GET', `/experiments/${experiment}`)).status !== 'RUNNING'
  while (!(await hasEnded())) await new Promise(resolve => setTimeout(resolve, 100))
  const at = `c/${encodeURIComponent(conversation)}`
  return {
    context: `${at}/context?turn=168&entry=21`,
    compare: `${at}/context?a=4096.balanced&b=4096.sliding-50&entry=21`,
    chat: `${at}/chat`,
    'over-time': `${at}/over-time`,
    experiment: `e/${encodeURIComponent(experiment)}`,
    conversations: '',
  }
}

/** Asks in a new chat for what was said in one of half a year before, and gives the addresses of both views. */
async function askOfOldChat() {
  const { module: samples } = await runnerImport(join(root, 'test/tools/sample-lines.ts'))
  const began = Date.now() - 182 * 24 * 60 * 60 * 1000
  const said = [
    [
      'user',
      'My sister Livia and I want to go to Lisbon for five days in June. Where should we stay?',
    ],
    ['assistant', 'Alfama is the oldest quarter; Graça is calmer and has the better views.'],
    ['user', 'Done: I booked the hotel Casa do Mirante in Lisbon, and the booking code is KX4471.'],
    ['assistant', 'Good choice. Tram 28 stops at its door.'],
  ]
  const messages = said.map(([role, content], at) => ({
    ...{ role, content, time: new Date(began + at * 60_000).toISOString() },
  }))
  const about = { conversation: 'lisbon', title: 'Lisbon with Livia', person: 'ada' }
  await ask('POST', '/import', samples.toLines(messages, about))
  const input = 'Which hotel did I book in Lisbon, and what is the booking code?'
  await ask('POST', '/conversations/a-new-chat/send', JSON.stringify({ input }))
  return { 'remembered-chat': 'c/a-new-chat/chat', remembered: 'c/a-new-chat/context' }
}

async function shootAll(views) {
  for (const [name, path] of Object.entries(views))
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of ['light', 'dark'])
        await shoot(name, path, { size, viewport, colorScheme })
}

async function shoot(name, address, { size, viewport, colorScheme }) {
  const page = await browser.newPage({
    viewport,
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Europe/London',
  })
  const asking = unanswered(page)
  await page.goto(`${url}/inspector/${address}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(() => !document.querySelector('[role=status][aria-label^=Loading]'))
  const end = Date.now() + 40_000
  do await page.evaluate(becomeStill)
  while (asking.size > 0 && Date.now() < end)
  const file = `${name}-${size}-${colorScheme}.png`
  const path = join(folder, file)
  await page.screenshot({ path })
  await page.close()
  spawnSync('pngquant', [
    '--force',
    '--strip',
    '--quality',
    '80-98',
    '--speed',
    '1',
    '--output',
    path,
    path,
  ])
  console.log(file)
}

/** The requests of a page that have no answer yet, without those for events, which never end. */
function unanswered(page) {
  const asking = new Set()
  page.on('request', request => request.url().includes('/events') || asking.add(request))
  for (const end of ['requestfinished', 'requestfailed'])
    page.on(end, request => asking.delete(request))
  return asking
}

/** Resolves when the page has not changed for a second: plots grow as their lines arrive. */
function becomeStill() {
  return new Promise(resolve => {
    let timer
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, 1000)
    }
    new MutationObserver(wait).observe(document.body, {
      ...{ subtree: true, childList: true },
      ...{ attributes: true, characterData: true },
    })
    wait()
  })
}

/** The packed program's own server on a free port, with a new log. */
async function serve(...more) {
  const home = mkdtempSync(join(tmpdir(), 'throughline-pictures-'))
  const flags = [
    '--port',
    '0',
    '--upstream',
    'reader',
    '--window',
    '4096',
    '--reserve',
    '512',
    '--log-level',
    'silent',
    ...more,
  ]
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', ...flags], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', data => {
      said += data
      const found = /listens at (\S+)/.exec(said)
      if (found) resolve(found[1])
    })
    child.once('exit', () => reject(new Error(said)))
  })
  return {
    url,
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(home, { recursive: true, force: true })
    },
  }
}
