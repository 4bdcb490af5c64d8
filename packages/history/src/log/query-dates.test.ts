import { describe, expect, it } from 'vitest'
import { toDateTests } from './query-dates.ts'

const days = ['2021-10-12', '2022-05-03', '2023-03-01', '2023-05-03', '2023-05-04', '2023-10-12']

/** For each test of a query the days on which a message passes it. */
const datesOf = (query: string) =>
  toDateTests(query).map(isAt =>
    days.filter(day => isAt(Date.parse(`${day}T23:59:59.999Z`))).join(' '),
  )

const may2023 = ['2023-03-01 2023-05-03 2023-05-04 2023-10-12', '2023-05-03 2023-05-04']
const anyMay3 = ['2022-05-03 2023-05-03 2023-05-04', '2022-05-03 2023-05-03']
const anyOctober12 = ['2021-10-12 2023-10-12', '2021-10-12 2023-10-12']

describe('toDateTests', () => {
  it.each([
    ...['the boat in May 2023', 'boat may 2023', '2023-05', 'el barco de mayo de 2023', 'Mai 2023'],
    ...['مايو 2023', 'मई 2023', '2023年5月', '2023년 5월', '２０２３年５月'],
  ])('tests the year and the month of “%s”', query => expect(datesOf(query)).toEqual(may2023))

  it.each([
    ...[
      'on May 3rd, 2023?',
      'the 3rd of May 2023',
      '2023-05-03T10:00',
      '3.5.2023',
      '3 de mayo de 2023',
    ],
    ...['3 mai 2023', '2023年5月3日', '2023년 5월 3일', 'May 3,2023'],
  ])('tests the day of “%s” too', query =>
    expect(datesOf(query)[2]?.split(' ')).toContain('2023-05-03'),
  )

  it.each(['am 3. Mai', 'on May 3', 'may 3rd', '我们5月3日说了什么'])(
    'finds “%s” in every year',
    query => expect(datesOf(query)).toEqual(anyMay3),
  )

  it.each(['le 12 octobre', '12 october', 'Oct 12', 'am 12. Okt.'])('reads “%s”', query =>
    expect(datesOf(query)).toEqual(anyOctober12),
  )

  it('takes digits for either order where both are dates', () =>
    expect(datesOf('5/3/2023')[2]).toBe('2023-05-03'))

  it('finds each of several dates', () =>
    expect(datesOf('between 1 March 2023 and May 3 2023')[2]).toBe('2023-03-01 2023-05-03'))

  it('has one test for a bare year, and one for a month without a year', () => {
    expect(datesOf('what happened in 2021?')).toEqual(['2021-10-12'])
    expect(datesOf('the trip in October')).toEqual(['2021-10-12 2023-10-12'])
  })

  it.each([
    ...[
      'May I go in may or march?',
      'step 2 may fail',
      'is there life on Mars?',
      'two weeks ago',
      '2 dogs',
    ],
    ...['May', '1.5.2', '192.168.2023.1', '12345', 'v1.2023.1', '1: Set it up', '5 ſep'],
  ])('sees no date in “%s”', query => expect(toDateTests(query)).toEqual([]))

  it('reads a name in letters that only look like those of a month', () =>
    expect(toDateTests('5 ſep 2023')).toHaveLength(3))

  it('passes no time that is none', () => expect(toDateTests('2023')[0]!(1e300)).toBe(false))
})
