import { cut } from './line.ts'

/** A caller's value in the words of an error: texts are quoted and cut, objects are named by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, 40))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function')
    return value.name === '' ? 'a function' : `the function ${cut(value.name, 40)}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
