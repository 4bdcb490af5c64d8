import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

if (!isLong) console.info('Skipped: a second way to name an example, only in the long run')

/** `npm run example` in a small repository of its own, whose build writes what its source says. */
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'throughline-examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  const build = `node -e "fs.mkdirSync('dist', { recursive: true }); fs.copyFileSync('src/index.ts', 'dist/index.js')"`
  const manifest = {
    name: 'throughline',
    type: 'module',
    exports: './dist/index.js',
    scripts: { example: 'node examples/run.mjs', build },
  }
  write('package.json', JSON.stringify(manifest))
  write('src/index.ts', "export const answer = 'first'\n")
  write(
    'examples/01-fit.ts',
    "/** Fits a chat. Then more. */\nimport { answer } from 'throughline'\nconsole.log(answer)\n",
  )
  write('examples/12-fish.ts', '/**\n * Feeds the fish: twice\n * a day.\n */\nexport {}\n')
  write(
    'examples/lamp/run.ts',
    "import { flags } from './flags.ts'\nconsole.log(JSON.stringify(flags))\n",
  )
  write('examples/lamp/flags.ts', 'export const flags: readonly string[] = process.argv.slice(2)\n')
  write('examples/lamp/README.md', '# Lamp\n\nA lamp that is talked\nto. And more.\n')
  write('examples/chat.json', '[]')
  cpSync(join(root, 'examples/run.mjs'), join(folder, 'examples/run.mjs'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules/jiti'), join(folder, 'node_modules/jiti'))
})

function write(name: string, text: string): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function run(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['examples/run.mjs', ...options], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout: stdout.trim(), stderr: stderr.trim() }
}

describe('npm run example', () => {
  it('lists the examples, each with its first sentence', () => {
    expect(run().stdout.split('\n').slice(2)).toEqual([
      '  01-fit   Fits a chat',
      '  12-fish  Feeds the fish: twice a day',
      '  lamp     A lamp that is talked to',
    ])
  })

  it('builds what was never built, and again what has changed since, and not otherwise', () => {
    const building = 'example: building the library'
    expect(run('01-fit')).toEqual({ status: 0, stdout: 'first', stderr: building })
    expect(run('01-fit')).toEqual({ status: 0, stdout: 'first', stderr: '' })
    write('src/index.ts', "export const answer = 'second'\n")
    const later = new Date(Date.now() + 5_000)
    utimesSync(join(folder, 'src/index.ts'), later, later)
    expect(run('01-fit')).toEqual({ status: 0, stdout: 'second', stderr: building })
  })

  it('runs a folder, and gives it its flags and nothing else', () => {
    const words = ['run', '--silent', 'example', 'lamp', '--', '--ollama', 'llama3.2']
    const { stdout } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' })
    expect(stdout).toBe('["--ollama","llama3.2"]\n')
    expect(run('lamp', '--', '--port', '0').stdout).toBe('["--port","0"]')
    expect(run('la').stdout).toBe('[]')
  })

  it('says which package an example needs that is not installed', () => {
    write(
      'examples/12-fish.ts',
      "/** Feeds the fish. */\nimport { food } from '@harbour/fish-food/dry'\nfood()\n",
    )
    const missing = 'example: it needs another package: npm install @harbour/fish-food'
    const { status, stderr } = run('12-fish')
    expect([status, stderr.split('\n').at(-1)]).toEqual([1, missing])
    write('examples/12-fish.ts', "/** Feeds the fish. */\nthrow new Error('no fish')\n")
    expect(run('12-fish').stderr).toContain('no fish')
  })

  it.each(isLong ? [['01'], ['fit']] : [['01']])(
    'takes "%s", which only one name begins with, with its number or without',
    name => {
      expect(run(name).stdout).toBe('first')
    },
  )

  it('asks back where two begin so, and says what there is where none does', () => {
    const both = 'example: More than one example begins with "fi". There is: 01-fit, 12-fish'
    expect(run('fi')).toEqual({ status: 2, stdout: '', stderr: both })
    const none = 'example: No example is called "cat". There is: 01-fit, 12-fish, lamp'
    expect(run('cat')).toEqual({ status: 2, stdout: '', stderr: none })
  })
})

describe('the examples of the repository', () => {
  it('are all listed, each with a sentence', () => {
    const { stdout } = spawnSync(process.execPath, ['examples/run.mjs'], {
      cwd: root,
      encoding: 'utf8',
    })
    const lines = stdout.trim().split('\n').slice(2)
    for (const line of lines) expect(line).toMatch(/^ {2}\S+ {2,}\S+ \S+/)
    const numbered = readdirSync(join(root, 'examples')).filter(name => /^\d.*\.ts$/.test(name))
    expect(numbered.length).toBeGreaterThan(5)
    expect(lines.length).toBeGreaterThanOrEqual(numbered.length + 2)
  })

  it('say how they are run', () => {
    const { stdout } = spawnSync(process.execPath, ['examples/run.mjs'], {
      cwd: root,
      encoding: 'utf8',
    })
    const names = [...stdout.matchAll(/^ {2}(\S+)/gm)].map(match => match[1]!)
    expect(names.length).toBeGreaterThan(10)
    const texts = (name: string) =>
      [`${name}.ts`, `${name}/run.ts`, `${name}/README.md`]
        .map(file => join(root, 'examples', file))
        .filter(file => existsSync(file))
        .map(file => readFileSync(file, 'utf8'))
    expect(
      names.filter(name => !texts(name).join('\n').includes(`npm run example ${name}`)),
    ).toEqual([])
  })
})
