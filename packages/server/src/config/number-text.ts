/** Numbers of settings and flags: digits, and a unit where one is meant. `1e9`, `0x0` and an empty text are undefined, never 0. */

export const toWhole = (text: string): number | undefined => read(/^(\d{1,15})$/, text)

/** With a fraction or without. */
export const toShare = (text: string): number | undefined => read(/^(\d(?:\.\d{1,15})?)$/, text)

/** In bytes, which need no unit. */
export const toBytes = (text: string): number | undefined =>
  read(/^(\d{1,12})\s*((?:[kmg]ib)?)$/i, text, sizes)

const sizes: Readonly<Record<string, number>> = { kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }

/** In milliseconds, from a number with a unit. */
export const toTime = (text: string): number | undefined =>
  read(/^(\d{1,10})\s*(ms|s|m|h|d)$/, text, times)

const times: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

function read(
  form: RegExp,
  text: string,
  units: Readonly<Record<string, number>> = {},
): number | undefined {
  const [, digits, unit = ''] = form.exec(text.trim()) ?? []
  return digits === undefined ? undefined : Number(digits) * (units[unit.toLowerCase()] ?? 1)
}
