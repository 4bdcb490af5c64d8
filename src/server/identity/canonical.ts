import { isObject } from '../../log/parse-json.ts'

/**
 * The arguments of a call as a text that is the same for every order of keys and every spacing. Arguments without a value
 * are left out, because clients leave them out, and those that are false, because clients add them: Claude Code completes
 * the calls of its tools by `replace_all: false`. Empty if there are none. What is no JSON stays as it is.
 */
export function toCanonical(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (isEmpty(value)) return ''
    if (!isObject(value)) return write(value).normalize('NFC')
    const filled = Object.entries(value).filter(([, one]) => one !== false && !isEmpty(one))
    return filled.length === 0 ? '' : writeFields(filled).normalize('NFC')
  } catch {
    // It is no JSON, or nested too deeply to be written.
    return text.trim().normalize('NFC')
  }
}

const isEmpty = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  return isObject(value) ? writeFields(Object.entries(value)) : JSON.stringify(value)
}

const writeFields = (fields: readonly (readonly [string, unknown])[]) =>
  `{${fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`)
    .join(',')}}`
