/**
 * Parses JSON from anywhere. Keys that reach a prototype (`__proto__`, a `constructor` with a `prototype`) are left out:
 * code that copies or merges the value later must not change the prototype of all objects.
 */
export function parseJson(text: string): unknown {
  // A reviver is slow, so it runs only if such a key, or an escape that may spell one, is in the text.
  return suspicious.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
}

const suspicious = /__proto__|"constructor"|\\u/

function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  const reaches = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  return key === 'constructor' && reaches ? undefined : value
}
