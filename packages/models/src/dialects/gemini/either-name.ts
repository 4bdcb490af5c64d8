import type { Fields } from '@throughline/core/fields'

/** A field by its name, which Google's APIs also take with underscores: `inlineData`, `inline_data`. */
export const either = (fields: Fields, name: string): unknown =>
  fields[name] ?? fields[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)]
