/** How many bytes are put into one call: a call takes a limited number of arguments. */
const chunk = 8_192

/** Bytes as text, also where there is no `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += chunk)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)))
  return btoa(parts.join(''))
}

export const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), byte => byte.charCodeAt(0))
