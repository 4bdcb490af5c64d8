// The licences of the packages that the build copies into dist/.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Licences that let us copy a package into ours and only want to be told. */
const permissive = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'])

/** The file `THIRD-PARTY-LICENSES`, for the modules of a build. Throws if a package may not be copied. */
export function thirdPartyLicences(moduleIds) {
  const folders = new Set([...moduleIds].map(folderOf).filter(folder => folder !== undefined))
  const packages = [...folders].map(readPackage).sort((a, b) => (a.title < b.title ? -1 : 1))
  const problems = packages.flatMap(({ title, problem }) =>
    problem ? [`${title}: ${problem}`] : [],
  )
  if (problems.length > 0)
    throw new Error(`Packages that cannot be part of the build:\n${problems.join('\n')}`)
  const sections = packages.map(({ title, license, text }) => `${title} (${license})\n\n${text}\n`)
  return `${head}\n${sections.map(section => `${line}\n${section}`).join('\n')}`
}

const line = '-'.repeat(80)
const head = `The files of this folder contain code of the packages below, each under its own licence.\n`

/** The folder of the package that a module belongs to; undefined if it is ours or made by the bundler. */
function folderOf(id) {
  const path = id.split('?', 1)[0].replaceAll('/', sep)
  const parts = path.split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at < 0 || id.startsWith('\0')) return undefined
  const length = parts[at + 1].startsWith('@') ? 3 : 2
  return parts.slice(0, at + length).join(sep)
}

/** The name, the version and the licence of a package, and what speaks against copying it. */
function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const title = `${name} ${version}`
  const files = readdirSync(folder).filter(file =>
    /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(file),
  )
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim())
  const text = texts.join('\n\n') || (license === 'MIT' && author ? mitOf(author) : '')
  if (!isPermissive(license)) return { title, problem: `its licence is ${JSON.stringify(license)}` }
  if (text === '') return { title, problem: 'it has no text of its licence' }
  return { title, license, text }
}

/** The text of the MIT licence, which is our own too, for a package that only names it. */
function mitOf(author) {
  const own = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8').trim()
  return own.replace(/^Copyright.*$/m, `Copyright (c) ${author.name ?? author}`)
}

const isPermissive = license => typeof license === 'string' && permissive.has(license)
