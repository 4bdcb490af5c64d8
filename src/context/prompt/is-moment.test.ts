import { expect, it } from 'vitest'
import { isMoment } from './is-moment.ts'

it.each([
  "Current time is 20:37:19. Today's date is 2024-12-20.",
  'Current time: 8:15 PM',
  'The current date is November 16, 2026.',
  'Today is Monday.',
  'now: 2026-11-16T21:32:20Z',
  'timestamp: 1763328740',
  '2026-11-16 21:32',
  'Monday, 16 November 2026',
  'Date: 11/16/2026',
  'Aktuelle Uhrzeit: 12.03 Uhr',
  'Heute ist Montag, der 16. November.',
  "Nous sommes aujourd'hui le 16 novembre 2026.",
  'Hoy es lunes, 16 de noviembre de 2026.',
  'Oggi è lunedì 16 novembre 2026, ore 12:03.',
  'Hoje é segunda, 16 de novembro.',
  'Het is vandaag maandag 16 november.',
  'Сейчас 21:32, 16 ноября 2026',
  'Bugün 16 Kasım 2026, saat 12:03',
  '現在の日時: 2026年11月16日 21時32分',
  '今天是2026年11月16日 星期一',
  '현재 시간: 2026년 11월 16일 오후 9:32',
  'It is now 12:03 on Monday.',
  'The time is 12:03.',
  'Server time: Mon, 16 Nov 2026 12:03 GMT',
  "The current date and time in the user's timezone (Europe/Berlin) is Monday, November 16, 2026 at 12:03 PM.",
  'You are a helpful assistant that knows a lot. The current date is 2026-11-16.',
  '<date>2026-11-16</date>',
  '日時: 2026年11月16日 21時32分',
])('takes %j for the time of now', line => {
  expect(isMoment(line)).toBe(true)
})

it.each([
  'You are a voice assistant for Home Assistant.',
  'Knowledge cutoff: June 2024 of the model',
  'The museum was opened on 2019-05-03 by the mayor of the town.',
  'Opening hours are from 9:00 to 17:00 on all weekdays but holidays.',
  '- names: Kitchen light 16',
  'version 1.24.3 of the program',
  'For example: the meeting is on 2024-05-01 at 10:00',
  'The meeting is on Monday, 2024-05-01 at 10:00.',
  'Write a reminder such as: today at 10:00, call Ann',
  'Say "Today is Monday, 2024-05-01" when you are asked.',
  'Answer with `now: 2024-05-01T10:00:00Z` and nothing else.',
  "Reply: 'Current time is 10:00'",
  'Date format: 2024-05-01',
  'Give the date as 2024-05-01 and the time as 10:00.',
  'If the user says today, and it is Monday, take 2024-05-01.',
  'Zum Beispiel: Heute ist Montag, der 16. November.',
  'Use dates (e.g. 2024-05-01) for the current week.',
  'Opening time is 10:00',
  'Today is a holiday.',
  'Call 555-1234 for help with the machine.',
  `The time is 12:03. ${'And there is more to say. '.repeat(20)}`,
  '',
])('leaves %j alone', line => {
  expect(isMoment(line)).toBe(false)
})
