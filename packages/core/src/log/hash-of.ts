import { isObject } from './values.ts'

/** SHA-256 as text. */
export async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** JSON with sorted keys: equal content gives equal text. */
export function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
