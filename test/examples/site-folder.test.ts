import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createChat } from 'throughline/chat'
import { rules } from 'throughline/models'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openChanges } from '../../examples/site-editor/changes.ts'
import { mostBytes, openSite, type SiteFolder } from '../../examples/site-editor/site-folder.ts'
import { SiteError } from '../../examples/site-editor/site-path.ts'
import { siteTools } from '../../examples/site-editor/site-tools.ts'

let outside: string
let root: string
let site: SiteFolder
beforeEach(async () => {
  outside = mkdtempSync(join(tmpdir(), 'throughline-site-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'secret.html'), secret)
  root = join(outside, 'data', 'site')
  site = await openSite(root)
})

const secret = 'the harbour code is 4471'

/** Paths that lead out of the folder, or to what is no file of a site, on one system or another. */
const attacks = [
  ...[
    '..',
    '../../secret.html',
    'a/../../../secret.html',
    'menu.html/../../../secret.html',
    './../../secret.html',
  ],
  ...[
    '/etc/passwd',
    '//server/share.html',
    '/',
    '\\etc\\passwd.html',
    '..\\..\\secret.html',
    'C:\\secret.html',
  ],
  ...[
    'C:secret.html',
    'c:/secret.html',
    'file:///etc/passwd.html',
    'index.html:hidden.html',
    '~/secret.html',
  ],
  ...[
    'a\0.html',
    'index.html\0.css',
    '\0',
    'a\n.html',
    'a\u202e.html',
    '\ufeff/secret.html',
    '%2e%2e/secret.html',
  ],
  ...[
    'CON',
    'nul.html',
    'aux.css',
    'COM1.html',
    'com¹.html',
    'lpt9.txt',
    'PRN.',
    'conin$.html',
    '/dev/zero.html',
  ],
  ...[
    '.env.html',
    '.git/config.html',
    'a/.b.html',
    '',
    '.',
    './index.html',
    'a//b.html',
    'a/',
    'a.html.',
    'a.html ',
  ],
  ...[
    '..%2f..%2fsecret.html',
    '．．/secret.html',
    '..;/secret.html',
    'a/b/c/d/e.html',
    `${'a/'.repeat(9000)}b.html`,
  ],
  ...[
    `${'a'.repeat(300)}.html`,
    '*.html',
    'a|b.html',
    '$(id).html',
    '`id`.html',
    '-rf/..',
    '...',
    '../data2.html',
  ],
]

/** The attacks that read the secret, changed it, or made anything outside of the site. */
async function whatEscapes({
  read,
  write,
}: Pick<SiteFolder, 'read' | 'write'>): Promise<readonly string[]> {
  const escaped: string[] = []
  for (const path of attacks) {
    const given = await read(path).catch(() => Buffer.from(''))
    await write(path, 'gone').catch(() => undefined)
    const isChanged =
      readFileSync(join(outside, 'secret.html'), 'utf8') !== secret ||
      readdirSync(outside).length !== 2 ||
      readdirSync(join(outside, 'data')).length !== 1
    if (given.includes(secret) || isChanged) escaped.push(path)
    writeFileSync(join(outside, 'secret.html'), secret)
  }
  return escaped
}

/** A folder without any care, as a control: the attacks must get out of it. */
const joined = (): Pick<SiteFolder, 'read' | 'write'> => ({
  read: async path => readFileSync(join(root, path)),
  async write(path, text) {
    writeFileSync(join(root, path), text)
    return true
  },
})

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'worked',
    error => (error instanceof SiteError ? error.code : String(error)),
  )

describe('the folder of a site', () => {
  it('is not left by any path, and says so', async () => {
    expect(await whatEscapes(site)).toEqual([])
    for (const path of attacks) {
      expect([path, await codeOf(site.read(path))]).toEqual([path, 'bad_path'])
      expect([path, await codeOf(site.write(path, 'x'))]).toEqual([path, 'bad_path'])
    }
    expect(await site.list()).toEqual(['index.html', 'menu.html', 'style.css'])
  })

  it('would be left if paths were only joined: the attacks are real', async () => {
    const escaped = await whatEscapes(joined())
    expect(escaped).toContain('../../secret.html')
    expect(escaped).toContain('../data2.html')
  })

  it('is not left by paths that are put together at random, with links in the folder', async () => {
    symlinkSync(outside, join(root, 'link'))
    symlinkSync(join(outside, 'secret.html'), join(root, 'l.html'))
    const pieces = [
      '..',
      '.',
      '/',
      '//',
      '\\',
      'link',
      'l.html',
      'secret.html',
      'index.html',
      'a',
      '\0',
      ' ',
      ':',
      '%2f',
      '~',
      'nul',
      '．',
    ]
    const paths = fc
      .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 })
      .map(found => found.join(''))
    const find = async (folder: Pick<SiteFolder, 'read' | 'write'>) =>
      fc.check(
        fc.asyncProperty(paths, async path => {
          const given = await folder.read(path).catch(() => Buffer.from(''))
          await folder.write(path, 'gone').catch(() => undefined)
          const isKept = readFileSync(join(outside, 'secret.html'), 'utf8') === secret
          return isKept && !given.includes(secret) && readdirSync(outside).length === 2
        }),
        { seed: 11, numRuns: process.env.THROUGHLINE_LONG ? 20_000 : 1000 },
      )
    expect((await find(site)).counterexample).toBe(null)
    expect((await find(joined())).failed).toBe(true)
  })

  it('follows no link, to a file or through a folder', async () => {
    symlinkSync(join(outside, 'secret.html'), join(root, 'link.html'))
    symlinkSync(outside, join(root, 'folder'))
    symlinkSync(join(outside, 'new.html'), join(root, 'dangling.html'))
    for (const path of ['link.html', 'folder/secret.html', 'folder/new.html', 'dangling.html']) {
      expect([path, await codeOf(site.read(path))]).toEqual([path, 'not_a_file'])
      expect([path, await codeOf(site.write(path, 'x'))]).toEqual([path, 'not_a_file'])
    }
    expect(readFileSync(join(outside, 'secret.html'), 'utf8')).toBe(secret)
    expect(existsSync(join(outside, 'new.html'))).toBe(false)
    expect(await site.list()).toEqual(['index.html', 'menu.html', 'style.css'])
  })

  it('waits for no pipe, and takes no folder for a file', async () => {
    mkdirSync(join(root, 'shop.html'))
    spawnSync('mkfifo', [join(root, 'pipe.html')])
    for (const path of ['pipe.html', 'shop.html']) {
      expect(await codeOf(site.read(path))).toBe('not_a_file')
      expect(await codeOf(site.write(path, 'x'))).toBe('not_a_file')
    }
    expect(await codeOf(site.read('index.html/a.html'))).toBe('not_a_file')
    expect(await codeOf(site.read('none.html'))).toBe('no_file')
  })

  it('has limits: the size of a file, their number, and text only', async () => {
    expect(await codeOf(site.write('big.html', 'ä'.repeat(mostBytes / 2 + 1)))).toBe('too_large')
    expect(await codeOf(site.write('big.html', 'a'.repeat(mostBytes)))).toBe('worked')
    expect((await site.readText('big.html')).length).toBe(mostBytes)
    writeFileSync(join(root, 'huge.html'), '')
    truncateSync(join(root, 'huge.html'), 50 * 2 ** 30)
    expect(await codeOf(site.read('huge.html'))).toBe('too_large')
    writeFileSync(join(root, 'photo.png'), Buffer.from([0x89, 0x50, 0xff, 0xfe]))
    expect(await codeOf(site.readText('photo.png'))).toBe('not_text')
    expect(await codeOf(site.write('photo.png', 'x'))).toBe('bad_path')
    for (let n = (await site.list()).length; n < 200; n++) writeFileSync(join(root, `${n}.txt`), '')
    expect(await codeOf(site.write('one-more.txt', 'x'))).toBe('too_many_files')
    expect(await codeOf(site.write('7.txt', 'x'))).toBe('worked')
  })

  it('never shows a part of a file, and forgets one that was never finished', async () => {
    const [before, after] = ['a', 'b'].map(letter => letter.repeat(mostBytes))
    await site.write('page.html', before!)
    const isWhole = (text: string) => text === before || text === after
    let isWriting = true
    const writing = (async () => {
      for (let n = 0; n < 20; n++) await site.write('page.html', n % 2 ? before! : after!)
      isWriting = false
    })()
    let reads = 0
    for (; isWriting; reads++)
      if (!isWhole(await site.readText('page.html'))) throw new Error('a part')
    await writing
    expect(reads).toBeGreaterThan(0)
    writeFileSync(join(root, '.unfinished-1'), 'half')
    expect(await site.list()).not.toContain('.unfinished-1')
    await openSite(root)
    expect(readdirSync(root).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('tells the model what was wrong, and the turn goes on', async () => {
    const paths = ['../../secret.html', '/etc/passwd', 'nul.html', 'none.html']
    const model = rules(({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? { calls: paths.map(path => ({ name: 'read_file', arguments: { path } })) }
        : 'I cannot.',
    )
    const changes = await openChanges(site, `${root}.json`)
    const { status, messages } = await createChat({
      model,
      tools: siteTools(site, changes),
    }).respond([{ role: 'user', content: 'Read them all.' }])
    expect(status).toBe('completed')
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results).toEqual([
      expect.stringMatching(/^Error: "..\/..\/secret.html" leaves the site: .* \(bad_path\)$/),
      expect.stringMatching(
        /^Error: "\/etc\/passwd" is absolute: begin with a name in the site, .* \(bad_path\)$/,
      ),
      expect.stringMatching(/^Error: "nul.html" has the name "nul.html": .* \(bad_path\)$/),
      expect.stringMatching(
        /^Error: there is no file "none.html": list_files says which there are \(no_file\)$/,
      ),
    ])
  })
})
