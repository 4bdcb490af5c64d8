import { attempt } from '@throughline/core/values'

/** Languages whose months have names; Chinese, Japanese and Korean count them. */
const languages = ['en', 'de', 'es', 'fr', 'ar', 'hi']

/**
 * For the dates that a query names: whether a time is in one of the years, in one of the months, on one of the days, in UTC. Each
 * test that a query has counts as a word, so a message of the same month has a part of a day, and a bare year says little.
 */
export function toDateTests(query: string): readonly ((time: number) => boolean)[] {
  const dates = datesIn(query.normalize('NFKC'))
  return ['2023', '2023-05', '2023-05-03'].flatMap(({ length }) => {
    const named = dates.filter(date => date.length >= length).map(date => date.slice(0, length))
    const prefixes = [...new Set(named)].filter(prefix => prefix !== anyYear)
    if (prefixes.length === 0) return []
    const pattern = new RegExp(`^(?:${prefixes.join('|')})`)
    const isOn = new Map<number, boolean>()
    return [
      time => {
        const day = Math.floor(time / dayMs)
        const cached = isOn.get(day)
        if (cached !== undefined) return cached
        const is = pattern.test(attempt(() => new Date(time).toISOString(), ''))
        isOn.set(day, is)
        return is
      },
    ]
  })
}

const dayMs = 24 * 60 * 60 * 1000
const anyYear = '....'
const year = '(?<year>(?:19|20)\\d\\d)(?!\\d)'
const month = '(?<month>1[0-2]|0?[1-9])'
const day = '(?<day>3[01]|[12]\\d|0?[1-9])(?!\\d)'

/** Dates in digits: `2023-05-03`, `2023-05`, `3.5.2023` or `5/3/2023`, where either may be the day, `2023年5月3日`, `2023`. */
const digits = [
  `${year}[-/.]${month}(?:[-/.]${day})?(?!\\d)`,
  `${day}[-/.]${month}[-/.]${year}`,
  `${month}[-/.]${day}[-/.]${year}`,
  `(?:${year} ?[年년] ?)?${month} ?[月월](?: ?${day} ?[日일])?`,
  year,
].map(source => new RegExp(`(?<![\\d.])${source}`, 'g'))

/** The dates that a text names, like `2023-05-03`, `2023-05`, `2023`; without a year `....-05-03`. */
function datesIn(text: string): readonly string[] {
  const inDigits = digits.flatMap(pattern =>
    Array.from(text.matchAll(pattern), ({ groups }) =>
      toDate(groups!.year, Number(groups!.month), groups!.day),
    ),
  )
  months ??= listMonths()
  const inWords = Array.from(text.matchAll(months.pattern), ({ index, groups }) => {
    const { before, name = '', after, year } = groups!
    const { number, isLong, spellings } = months!.names.get(name.toLowerCase())!
    // "may" is also a verb and "mars" a planet: alone a name counts if it is long, or spelled as a month and not the first word.
    const isPlain = name.length >= 6 || (spellings.has(name) && (index > 0 || before !== undefined))
    const isDate = year || after || (isPlain && (isLong || before))
    return isDate ? toDate(year, number, before ?? after) : ''
  })
  return [...inDigits, ...inWords]
}

const toDate = (year = anyYear, month = Number.NaN, day?: string) =>
  [year, ...(month ? [month, ...(day ? [day] : [])] : [])]
    .map(part => String(part).padStart(2, '0'))
    .join('-')

interface MonthName {
  readonly number: number
  /** Whether it is no abbreviation: many of those are also other words. */
  readonly isLong: boolean
  readonly spellings: Set<string>
}

let months: ReturnType<typeof listMonths> | undefined

/** The names of months, and a pattern that finds them with days and years: `May 3rd, 2023`, `3 de mayo de 2023`. */
function listMonths() {
  const names = new Map<string, MonthName>()
  // Some languages write a month in another form beside a day.
  for (const style of ['long', 'short'] as const)
    for (const options of [{ month: style }, { month: style, day: 'numeric' }] as const)
      for (const language of languages) {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
        for (let number = 1; number <= 12; number++) {
          const part = format
            .formatToParts(Date.UTC(2000, number - 1))
            .find(({ type }) => type === 'month')!
          const spelling = part.value.normalize('NFKC').replace(/\.$/, '')
          const isLong = style === 'long'
          const name = names.get(spelling.toLowerCase()) ?? { number, isLong, spellings: new Set() }
          if (name.isLong === isLong) name.spellings.add(spelling)
          names.set(spelling.toLowerCase(), name)
        }
      }
  const any = [...names.keys()].sort((a, b) => b.length - a.length).join('|')
  const name = `(?<![\\p{L}\\p{M}])(?<name>${any})(?![\\p{L}\\p{M}])`
  // Between the parts of a date stand at most two short words: "3rd of May".
  const gap = '[\\s.,-]{0,3}(?:\\p{L}{1,2}[\\s.,]{1,3}){0,2}'
  const [before, after] = [day.replace('day', 'before'), day.replace('day', 'after')]
  const source = `(?<!\\d)(?:${before}${gap})?${name}(?:${gap}${after})?(?:${gap}${year})?`
  return { names, pattern: new RegExp(source, 'giu') }
}
