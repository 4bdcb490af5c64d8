import { cut } from './line.ts'

/** Longer arguments (a file that was written) are shown as they stand: 80 characters do not need a parsed megabyte. */
const mostParsed = 100_000

/** Arguments as a person reads them: `path="/workspace/src", depth=2`; what is no JSON object, or broken, as it stands. */
export function describeArguments(json: string, max: number): string {
  if (json.length > mostParsed || !/^\s*\{/.test(json)) return cut(json, max)
  try {
    const described = Object.entries(JSON.parse(json)).map(([name, value]) =>
      describeArgument(name, value, max),
    )
    return cut(described.join(', '), max)
  } catch {
    return cut(json, max)
  }
}

/** A text is cut before it is quoted: a long one keeps its closing quote where there is room. */
function describeArgument(name: string, value: unknown, max: number): string {
  return `${name}=${JSON.stringify(typeof value === 'string' ? cut(value, max) : value)}`
}
