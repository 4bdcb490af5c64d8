import { cut } from './line.ts'

/** Longer arguments (a whole file) are not parsed: a line of 80 characters is not worth parsing a megabyte. */
const mostParsed = 100_000

/** Arguments as a person reads them: `path="/workspace/src", depth=2`. Broken JSON, and JSON that is no object, stays as it is. */
export function describeArguments(json: string, max: number): string {
  if (json.length > mostParsed || !/^\s*\{/.test(json)) return cut(json, max)
  try {
    const described = Object.entries(JSON.parse(json)).map(([name, value]) => {
      // A text is cut before it is quoted, so that a long one keeps its closing quote where there is room.
      return `${name}=${JSON.stringify(typeof value === 'string' ? cut(value, max) : value)}`
    })
    return cut(described.join(', '), max)
  } catch {
    return cut(json, max)
  }
}
