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
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { isLong } from '@throughline/test-tools/is-long'
import { serveFrom } from '@throughline/test-tools/serve-process'
import { publint } from 'publint'
import { afterAll, describe, expect, it } from 'vitest'

/**
 * The package as people get it: packed, unpacked into an empty project that has only what package.json promises, and
 * every entry used by a small program (`test/package`) that is compiled and run.
 */
const root = join(import.meta.dirname, '..')
const programs = join(import.meta.dirname, 'package')
const project = mkdtempSync(join(tmpdir(), 'throughline-package-'))
const installed = join(project, 'node_modules/throughline')
afterAll(() => {
  for (const folder of [project, bare]) rmSync(folder, { recursive: true, force: true })
})

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const entries = Object.keys(manifest.exports).filter(entry => entry !== './package.json')

if (!existsSync(join(root, 'dist'))) run('npm', ['run', 'build'], root)
// As `prepack` does: the page of options is not committed.
run('npm', ['run', 'options'], root)
const packed = JSON.parse(
  run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], root),
) as readonly { readonly filename: string; readonly files: readonly { readonly path: string }[] }[]
const tarball = join(project, packed[0]!.filename)
mkdirSync(installed, { recursive: true })
run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], project)
// Of the optional peers only those that a program uses: the declarations must do without the others.
const besides = ['ai', '@langchain/core', 'gpt-tokenizer', 'pg', '@types/node', 'undici-types']
const always = Object.keys(manifest.dependencies)
link(project, [...always, ...Object.keys(manifest.optionalDependencies), ...besides])
// Another project in which npm was told to leave out what is optional.
const bare = mkdtempSync(join(tmpdir(), 'throughline-bare-'))
cpSync(installed, join(bare, 'node_modules/throughline'), { recursive: true })
link(bare, always)
cpSync(programs, join(project, 'src'), { recursive: true })
writeFileSync(
  join(project, 'package.json'),
  JSON.stringify({ name: 'app', type: 'module', private: true }),
)

const paths = packed[0]!.files.map(file => file.path)

describe('the packed package', () => {
  it('has a program for every entry', () => {
    const names = entries.map(entry =>
      entry === '.' ? 'root' : entry.slice(2).replaceAll('/', '-'),
    )
    expect(readdirSync(programs).sort()).toEqual(names.map(name => `${name}.ts`).sort())
  })

  if (!isLong) console.info('Skipped: publint and the types of every entry, only in the long run')
  it.runIf(isLong)('is clean for publint', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true })
    expect(messages).toEqual([])
  })

  it.runIf(isLong)('has the right types when it is imported as a module', async () => {
    const { buffer } = readFileSync(tarball)
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(buffer)))
    const problems = result.types === false ? ['no types'] : result.problems
    // There is no CommonJS build: `require` gets the module itself, from Node 20.19 on.
    const ours = problems.filter(
      problem =>
        typeof problem === 'string' ||
        !('resolutionKind' in problem) ||
        isModern(problem.resolutionKind),
    )
    expect(ours).toEqual([])
  })

  const resolutions = [
    ['NodeNext', { module: 'NodeNext', moduleResolution: 'NodeNext' }],
    ['bundler', { module: 'ESNext', moduleResolution: 'bundler' }],
  ] as const
  if (!isLong) console.info('Skipped: the resolution of bundlers, only in the long run')
  it.each(resolutions.slice(0, isLong ? 2 : 1))(
    'compiles under %s resolution, its own declarations included',
    (name, options) => {
      const compilerOptions = {
        ...options,
        ...{
          target: 'ES2022',
          lib: ['ES2023', 'DOM'],
          types: ['node'],
          strict: true,
          rootDir: 'src',
          outDir: `out-${name}`,
        },
      }
      const config = join(project, `tsconfig.${name}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, include: ['src'] }))
      expect(compile(config)).toBe('')
    },
  )

  it.each(readdirSync(programs))('%s does what it says', file => {
    const promised = readFileSync(join(programs, file), 'utf8').split('// prints: ')[1]
    expect(run(process.execPath, [`out-NodeNext/${file.replace(/ts$/, 'js')}`], project)).toBe(
      promised,
    )
  })
})

describe('what is installed', () => {
  const own = { ...manifest.dependencies, ...manifest.optionalDependencies }
  const beside = Object.keys({ ...own, ...manifest.peerDependencies })
  const code = paths.filter(path => path.startsWith('dist/') && /\.(?:js|d\.ts)$/.test(path))
  const textOf = (path: string) => readFileSync(join(installed, path), 'utf8')

  it('are at most ten packages, with all that they need', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
    const found = new Set(Object.keys(own))
    // A set also gives what is added while it is read.
    for (const name of found)
      for (const needed of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {}))
        found.add(needed)
    expect([...found].filter(name => !(`node_modules/${name}` in packages))).toEqual([])
    expect(found.size + 1).toBeLessThanOrEqual(10)
  })

  // A line that begins with it, or a call: `from "color"` may stand in a text.
  const imports = /^(?:import|export)\b(?:[^"\n]* from)? ?"([^".][^"]*)"|\bimport\("([^".][^"]*)"/gm

  it('are all packages that the code and the declarations name, but for optional ones', () => {
    const named = code
      .filter(path => !path.startsWith('dist/inspector/'))
      .flatMap(path => [...textOf(path).matchAll(imports)])
      .map(([, whole, late]) => (whole ?? late)!)
      .concat(declared(code.filter(path => path.endsWith('.d.ts')).map(textOf)))
    const packages = new Set(named.filter(name => !isBuiltin(name)).map(packageOf))
    expect([...packages].filter(name => !beside.includes(name))).toEqual([])
    expect(packages).toContain('jiti')
  })

  it('has one instance of everything', () => {
    const made = code.filter(path =>
      /\bThroughlineError = class\b|\bclass ThroughlineError\b/.test(textOf(path)),
    )
    expect(made.filter(path => path.endsWith('.js'))).toHaveLength(1)
  })

  it('has the licences of what was copied into it', () => {
    const text = textOf('dist/THIRD-PARTY-LICENSES')
    for (const name of ['zod', 'commander', '@modelcontextprotocol/sdk', 'undici', 'react', 'cmdk'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'))
    expect(text.match(/Permission is hereby granted/g)!.length).toBeGreaterThan(20)
  })
})

describe('the files of the package', () => {
  it('are the library, its documentation and its examples, without tests and data', () => {
    const folders = new Set(paths.map(path => (path.includes('/') ? path.split('/')[0] : path)))
    const texts = ['CHANGELOG.md', 'GLOSSARY.md', 'LICENSE', 'README.md', 'package.json']
    expect([...folders].sort()).toEqual([...texts, 'dist', 'docs', 'examples'].sort())
    expect(paths).toContain('docs/README.md')
    expect(paths).toContain('docs/options.md')
    expect(manifest.scripts.prepack).toContain('npm run options')
    expect(paths).toContain('examples/run.mjs')
    expect(paths.filter(path => /\.test\.|\.fixture\.|\.map$|\.db$/.test(path))).toEqual([])
  })

  it('have every command of the documentation', () => {
    const bin = join(project, 'node_modules/throughline/dist/main.js')
    expect(run(process.execPath, [bin, '--help'], project)).toContain('Usage: throughline')
    expect(
      run(process.execPath, ['node_modules/throughline/examples/run.mjs', 'fit'], project),
    ).toContain('306 messages became')
  })

  const startServer = (db: string) =>
    serveFrom(join(installed, 'dist/main.js'), project, '--upstream', 'reader', '--db', db)

  it('have a server with its page', async () => {
    const { url } = await startServer('page.db')
    expect((await fetch(`${url}/health`)).status).toBe(200)
    const page = await (await fetch(`${url}/inspector`)).text()
    const [script] = /\/inspector\/assets\/index-[^"]+\.js/.exec(page)!
    expect((await fetch(`${url}${script}`)).status).toBe(200)
  })

  it('have a server that runs its sample experiment with nothing else installed', async () => {
    const { url } = await startServer('sample.db')
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const started = await fetch(`${url}/throughline/v1/samples/experiment`, post)
    expect(await started.json()).toMatchObject({ name: 'lemonade-stand', status: 'RUNNING' })
  })

  it('have a server with applications to try, which need nothing else either', async () => {
    const flags = ['--upstream', 'reader', '--db', 'gallery.db', '--gallery']
    const { url } = await serveFrom(join(installed, 'dist/main.js'), project, ...flags)
    const at = `${url}/throughline/v1/gallery`
    const { applications } = (await (await fetch(at)).json()) as {
      applications: { name: string }[]
    }
    const chips = applications.map(async ({ name }) => {
      const state = (await (await fetch(`${at}/${name}/try-${name}`)).json()) as { chips: string[] }
      const body = JSON.stringify({ text: state.chips[0] })
      const said = await fetch(`${at}/${name}/try-${name}/say`, { method: 'POST', body })
      return (await said.text()).trim().split('\n').at(-1)
    })
    expect(await Promise.all(chips)).toEqual(applications.map(() => '{"type":"end"}'))
    expect(applications.length).toBeGreaterThan(2)
  })

  it('run a plan in TypeScript that imports the library', () => {
    const plan = readFileSync(join(programs, 'experiment.ts'), 'utf8')
    writeFileSync(
      join(project, 'plan.ts'),
      plan.split('const experiments')[0]!.replace('const plan =', 'export default'),
    )
    const bin = join(installed, 'dist/main.js')
    expect(
      run(process.execPath, [bin, 'experiment', 'run', 'plan.ts', '--db', 'plan.db'], project),
    ).toContain('COMPLETED')
  })

  it('name the repository, against which npm resolves the links of the README', () => {
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:/) },
    })
  })
})

describe('where nothing optional is installed', () => {
  const attempt = (...options: readonly string[]) =>
    spawnSync(process.execPath, options, { cwd: bare, encoding: 'utf8', input: '[]' })
  const cli = 'node_modules/throughline/dist/main.js'

  it('every peer is optional', () => {
    const optional = Object.keys(manifest.peerDependenciesMeta)
    expect(Object.keys(manifest.peerDependencies)).toEqual(optional)
  })

  it('the library works', () => {
    const program =
      "import('throughline').then(({ fit }) => console.log(fit([], { window: 4096 }).messages))"
    expect(attempt('-e', program)).toMatchObject({ status: 0, stdout: '[]\n' })
  })

  it.each(['o200k', 'cl100k'])('%s says what to install', name => {
    const program = `import('throughline/tokens/${name}').catch(error => console.log(error.name, error.code, error.message))`
    expect(attempt('-e', program).stdout).toBe(
      'ThroughlineError package_missing The package "gpt-tokenizer" cannot be loaded: install it with "npm install gpt-tokenizer".\n',
    )
    const { status, stderr } = attempt(cli, 'fit', '-', '--count', name)
    expect([status, stderr]).toEqual([2, expect.stringContaining('npm install gpt-tokenizer')])
  })

  const hasSqlite = Number(process.versions.node.split('.')[0]) >= 22
  if (hasSqlite) console.info('Skipped: a Node without SQLite, because this one has it')
  it.skipIf(hasSqlite)('a Node without SQLite says what to install', () => {
    const { status, stderr } = attempt(cli, 'serve', '--upstream', 'reader', '--port', '0')
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('npm install @photostructure/sqlite'),
    ])
  })
})

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
  >
}

/** The packages that declarations import. */
function declared(texts: readonly string[]): readonly string[] {
  return texts.flatMap(text =>
    [...text.matchAll(/^(?:import|export) .*from '([^'.][^']*)'|import\('([^'.][^']*)'\)/gm)].map(
      match => match[1] ?? match[2]!,
    ),
  )
}

/** `@langchain/core/messages` is of `@langchain/core`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Puts packages of ours into a project. */
function link(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), place)
  }
}

const isOfOthers = (line: string) =>
  line.startsWith(' ') ||
  (line.includes('node_modules/') && !line.startsWith('node_modules/throughline/'))

const isModern = (kind: string) => kind === 'node16-esm' || kind === 'bundler'

/** What the compiler says of our declarations and of the programs: what others declare is theirs. */
function compile(config: string): string {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], {
    cwd: project,
    encoding: 'utf8',
  })
  const lines = stdout.split('\n').filter(line => line !== '' && !isOfOthers(line))
  return lines.join('\n')
}

function run(command: string, options: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, options, { cwd, encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`${command} ${options.join(' ')} ended with ${status}: ${stderr || stdout}`)
  return stdout
}
