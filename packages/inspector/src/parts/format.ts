import { groupBy } from '@throughline/core/values'
import type { AnswerOf } from '../api/client.ts'

/** Numbers, times and names as the page writes them. The language is that of the texts, not that of the browser. */
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `43,686` */
export const count = (amount: number): string => whole.format(amount)

/** `99k`, `1.7k`, `420` */
export function short(amount: number): string {
  if (amount < 1000) return whole.format(amount)
  const thousands = amount / 1000
  return thousands < 10 ? `${thousands.toFixed(1)}k` : `${whole.format(thousands)}k`
}

/** `78 %` */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** `1 message`, `2 messages` */
export const amountOf = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Writes days; those of another year than this one with their year. */
function dayFormat(form: Intl.DateTimeFormatOptions): (time: number, now?: number) => string {
  const plain = new Intl.DateTimeFormat('en-GB', form)
  const withYear = new Intl.DateTimeFormat('en-GB', { ...form, year: 'numeric' })
  return (time, now = Date.now()) =>
    (isThisYear(time, now) ? plain : withYear).format(time).replace(',', '')
}

const isThisYear = (time: number, now = Date.now()): boolean =>
  new Date(time).getFullYear() === new Date(now).getFullYear()

/** `2 March`, `2 March 2025` */
export const dayOf = dayFormat({ day: 'numeric', month: 'long' })

/** `12 Mar`, `12 Mar 2025` */
export const shortDayOf = dayFormat({ day: 'numeric', month: 'short' })

const weekday = dayFormat({ weekday: 'short', day: 'numeric', month: 'long' })

/** `16:12` */
export const clockTime = (time: number): string => clock.format(time)

/** `13 March, 16:12`, `13 March 2025, 16:12` */
export const dayTime = (time: number, now?: number): string =>
  `${dayOf(time, now)}, ${clock.format(time)}`

/** `Mon 2 March, 09:20` */
export const fullTime = (time: number, now?: number): string =>
  `${weekday(time, now)}, ${clock.format(time)}`

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `12 Mar 2025`, also in this year. */
export const dateOf = (time: number): string => date.format(time)

/** `now`, `4 min`, `3 h`, `yesterday`, `12 Mar`, `12 Mar 2025` */
export function ago(time: number, now = Date.now()): string {
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h`
  return hours < 48 ? 'yesterday' : shortDayOf(time, now)
}

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
  const months = groupBy(
    sorted,
    date => `${month.format(date)}${isOfNow ? '' : ` ${date.getFullYear()}`}`,
  )
  const named = [...months].map(([name, dates]) => ({
    name,
    runs: runsOf(dates.map(one => one.getDate())),
  }))
  if (named.length === 1) return `${list.format(named[0]!.runs)} ${named[0]!.name}`
  return list.format(named.map(({ name, runs }) => `${runs.join(', ')} ${name}`))
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

const list = new Intl.ListFormat('en-GB')

type TitleSource = Pick<AnswerOf<'get /conversations/:conversation'>, 'title' | 'latest'>

/** What a conversation is called: its title, else its name; where that is only an id, how it begins. */
export function titleOf(one: Partial<TitleSource> & { readonly conversation: string }): string {
  const { conversation, title, latest } = one
  if (title?.trim()) return title
  return (isId(conversation) && latest?.begins?.trim()) || conversation
}

/** Names that programs made: `9cb20e46-33c5-42e2-acdf-b9e2e5bb460e`, `open-webui:9cb20e46-…` */
const isId = (name: string) => /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{20}/i.test(name)

export type ListedThread = AnswerOf<'get /conversations/:conversation/threads'>['threads'][number]

/** Whether a branch is listed: one on which nobody answered is shown only to whoever is there. */
export const isShown = (
  { branch, isUnanswered }: ListedThread,
  current: string | undefined,
): boolean => !isUnanswered || branch === current

/** What a branch is called: by the name that a person gave it, else by what made it. */
export function branchTitle({
  branch,
  begins,
  forkOf,
}: Partial<ListedThread> & Pick<ListedThread, 'branch'>): string {
  if (!madeName.test(branch)) return branch
  if (!begins || !forkOf) return 'new branch'
  if (begins.how === 'on') return `goes on after #${forkOf.at}`
  return begins.how === 'again'
    ? `asked again, turn ${begins.turn}`
    : `reworded at #${forkOf.at + 1}`
}

/** Names that programs make: `edit mhx3k2a1`, `again mhx3k2b7`, a UUID. */
const madeName = /^(?:(?:edit|again) \S+|[0-9a-f]{8}-[0-9a-f-]{27})$/

/** The names that were made here: their conversations begin with the first message, and are not missing until then. */
const begun = new Set<string>()

export const isBegunHere = (conversation: string): boolean => begun.has(conversation)

/** A name for a conversation that begins here: when it began, for people. `chat-2026-03-12-161205` */
export function newConversationName(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  const name = `chat-${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`
  begun.add(name)
  return name
}
