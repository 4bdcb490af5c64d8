import { InvalidOptionError } from './error.ts'
import { nearest } from './nearest.ts'

/** All names of the options of a type: the compiler finds one that is missing or too many. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: unknown }

/** Throws InvalidOptionError for an unknown option, such as `reserv`, and says which one was probably meant. */
export function refuseUnknown<Options extends object>(
  options: Options | undefined,
  names: OptionNames<Options>,
): void {
  const all = Object.keys(names)
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || all.includes(name)) continue
    const meant = nearest(name, all)
    const advice = meant ? `Did you mean ${meant}?` : `Known: ${all.join(', ')}.`
    throw new InvalidOptionError(name, `is unknown. ${advice}`)
  }
}
