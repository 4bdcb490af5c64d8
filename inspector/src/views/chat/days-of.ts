import { groupBy } from '../../../../src/log/group-by.ts'
import { isThisYear } from '../../parts/format.ts'

const month = new Intl.DateTimeFormat('en-GB', { month: 'long' })

/** The days of some times, as a person says them: `2, 4, 6–8 and 12–13 March`, `28 February and 1 March`. */
export function daysOf(times: readonly number[], now = Date.now()): string {
  const days = new Map<string, Date>()
  for (const time of times) {
    const date = new Date(time)
    days.set(`${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`, date)
  }
  const sorted = [...days.values()].sort((a, b) => a.getTime() - b.getTime())
  const isOfNow = sorted.every(date => isThisYear(date.getTime(), now))
  const months = groupBy(sorted, date => `${month.format(date)}${isOfNow ? '' : ` ${date.getFullYear()}`}`)
  const named = [...months].map(([name, dates]) => ({ name, runs: runsOf(dates.map(one => one.getDate())) }))
  if (named.length === 1) return `${listed(named[0]!.runs)} ${named[0]!.name}`
  return listed(named.map(({ name, runs }) => `${runs.join(', ')} ${name}`))
}

/** `6–8` for days in a row. */
function runsOf(dates: readonly number[]): readonly string[] {
  const runs: { first: number; last: number }[] = []
  for (const date of dates) {
    const last = runs.at(-1)
    if (last?.last === date - 1) last.last = date
    else runs.push({ first: date, last: date })
  }
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`))
}

const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
