import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** Which test files open a page: those that import `opener`, also by way of other files; what stands beside it has the name of a package. */
export function filesWithBrowser(files: readonly string[], opener: string): readonly string[] {
  const folder = dirname(opener)
  const imports = new Map<string, readonly string[]>()
  const importsOf = (file: string) => {
    const known = imports.get(file)
    if (known) return known
    const paths = readFileSync(file, 'utf8').matchAll(
      /from '(?:(\.[^']*\.ts)|@throughline\/test-tools\/([^']*))'/g,
    )
    const found = Array.from(
      paths,
      ([, path, tool]) => (path ? join(dirname(file), path) : join(folder, `${tool}.ts`)),
      // A test may hold the text of a file that is not there. What is tested opens no page.
    ).filter(path => !path.includes(`${sep}src${sep}`) && existsSync(path))
    imports.set(file, found)
    return found
  }
  return files.filter(file => {
    // A set also gives what is added while it is read.
    const reached = new Set([file])
    for (const each of reached) for (const path of importsOf(each)) reached.add(path)
    return reached.has(opener)
  })
}
