/**
 * JSON from anywhere. Keys that reach for a prototype (`__proto__`, a `constructor` with a `prototype`) are left
 * out: whoever copies or merges the value later must not change the prototype of all objects.
 */
export function parseJson(text: string): unknown {
  // A reviver is slow. A key can also be spelled in escapes, so their mere presence asks for it.
  return suspicious.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
}

const suspicious = /__proto__|"constructor"|\\u/

function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  const reaches = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  return key === 'constructor' && reaches ? undefined : value
}
