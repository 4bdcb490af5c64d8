// `npm run example NAME [-- flags]`: runs an example, and builds the library first if it has changed. `npm run example` lists them.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createJiti } from 'jiti'

const folder = import.meta.dirname
const root = join(folder, '..')
const examples = findExamples()

const [asked, ...given] = process.argv.slice(2)
// npm takes the dashes before the flags away, other package managers do not.
const flags = given[0] === '--' ? given.slice(1) : given
if (asked === undefined) {
  console.log('npm run example NAME [-- flags]; the beginning of a name is enough\n')
  const width = Math.max(...examples.map(({ name }) => name.length)) + 2
  for (const { name, file } of examples)
    console.log(`  ${name.padEnd(width)}${describe(name, file)}`)
} else {
  const found = match(asked)
  if (found.length !== 1) {
    const problem =
      found.length === 0 ? 'No example is called' : 'More than one example begins with'
    const names = (found.length === 0 ? examples : found).map(({ name }) => name)
    console.error(
      `example: ${problem} ${JSON.stringify(asked.slice(0, 60))}. There is: ${names.join(', ')}`,
    )
    process.exit(2)
  }
  const [{ name, file }] = found
  if (flags.includes('--help') || flags.includes('-h')) {
    console.log(`${name}: ${describe(name, file)}\n\n${headOf(file)}`)
    process.exit(0)
  }
  if (isStale()) build()
  process.on('uncaughtException', sayWhatIsWrong)
  // The example sees only its own flags.
  process.argv.splice(1, process.argv.length, file, ...flags)
  await createJiti(file, { fsCache: false }).import(file).catch(sayWhatIsWrong)
}

/** Faults that the user can mend are told in a line. Some examples use packages that are not installed with the library. */
function sayWhatIsWrong(error) {
  const { code = '', message = '', port } = error ?? {}
  const [, name] =
    /^Cannot find (?:module|package) '((?:@[^/']+\/)?[^./'][^/']*)/.exec(message) ?? []
  const problem =
    name !== undefined
      ? `it needs another package: npm install ${name}`
      : code === 'EADDRINUSE'
        ? `port ${port} is in use: choose another with --port`
        : code.startsWith('ERR_PARSE_ARGS')
          ? `${message.split('. ', 1)[0]}; --help lists the flags`
          : undefined
  if (problem === undefined) console.error(error)
  else console.error(`example: ${problem}`)
  process.exit(1)
}

/** The comment at the head of an example, which says what flags it has. */
function headOf(file) {
  const [, text = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, 'utf8')) ?? []
  return text.replace(/^[ \t]*\* ?/gm, '').trim()
}

/** `NAME.ts`, or the `run.ts` of a folder. */
function findExamples() {
  return readdirSync(folder)
    .map(name => ({ name: name.replace(/\.ts$/, ''), file: join(folder, name) }))
    .map(({ name, file }) => ({ name, file: file.endsWith('.ts') ? file : join(file, 'run.ts') }))
    .filter(({ file }) => existsSync(file))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A whole name, else all names with this beginning; `fit` is also a beginning of `01-fit`. */
function match(text) {
  const same = examples.filter(({ name }) => name === text)
  if (same.length > 0) return same
  return examples.filter(
    ({ name }) => name.startsWith(text) || name.replace(/^\d+-/, '').startsWith(text),
  )
}

/** The first sentence of the README beside an example, else of the comment at its head. */
function describe(name, file) {
  const readme = join(folder, name, 'README.md')
  const text = existsSync(readme)
    ? readFileSync(readme, 'utf8').replace(/^#.*\n+/, '')
    : headOf(file)
  const [paragraph] = text.trim().split(/\n\s*\n/, 1)
  const plain = paragraph.replace(/\s+/g, ' ').replaceAll('**', '')
  return plain.split(/(?<=[.?!])\s/, 1)[0].replace(/\.$/, '')
}

/** The examples import the library as its users do, so from what was built. A package from npm has no `packages`. */
function isStale() {
  const sources = ['src', 'packages']
    .map(name => join(root, name))
    .filter(folder => existsSync(folder))
  if (sources.length === 0) return false
  const built = statSync(join(root, 'dist/index.js'), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return true
  return sources.some(source =>
    readdirSync(source, { recursive: true, encoding: 'utf8' }).some(
      name => name.endsWith('.ts') && statSync(join(source, name)).mtimeMs > built,
    ),
  )
}

function build() {
  console.error('example: building the library')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('example: the build failed')
    process.exit(1)
  }
}
