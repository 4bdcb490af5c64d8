/**
 * Whether a line tells the time or the date of now, by its form alone: `Current time is 12:03`, `Today's date: 2026-11-16`,
 * `Montag, 16. November 2026`. A date among other words, such as that of an event, is none.
 */
export function isMoment(line: string): boolean {
  if (line.length > (/\d/.test(line) ? longest : longestDay)) return false
  const text = line.normalize('NFKC').toLowerCase()
  const words = [...new Set(text.match(/\p{L}{1,40}/gu))]
  const hasClock = clock.test(text)
  const hasDate =
    dates.some(form => form.test(text)) ||
    (/\d/.test(text) && words.some(word => months.has(word.slice(0, 3))))
  const hasWeekday = cjkWeekday.test(text) || words.some(word => dayEnding.test(word) || weekdays.has(word))
  const isNow = cjkCues.test(text) || words.some(word => cues.has(word))
  if (isNow && (hasClock || hasDate || hasWeekday || epoch.test(text))) return true
  if (hasDate && (hasClock || hasWeekday)) return true
  return (hasClock || hasDate) && words.length <= fewWords
}

/** Longer lines say more than a time, or than a day without a number. */
const longest = 300
const longestDay = 60
/** A line with no more words than this besides its time says nothing but the time. */
const fewWords = 2

// None of these forms repeats what may be empty or overlaps with what follows, so each is linear.
const clock =
  /(?:^|\D)(?:[01]?\d|2[0-3])[:h.][0-5]\d(?:\D|$)|(?:^|\D)1?\d ?[ap]\.?m\b|\d{1,2}[時时点] ?\d{0,2}/
const epoch = /(?:^|\D)1[5-9]\d{8}(?:\d{3})?(?:\D|$)/
const dates: readonly RegExp[] = [
  /(?:^|\D)(?:19|20)\d\d[-/.][01]?\d[-/.][0-3]?\d(?:\D|$)/,
  /(?:^|\D)[0-3]?\d[-/.] ?[01]?\d[-/.] ?(?:19|20)\d\d(?:\D|$)/,
  /\d{1,4}[年년] ?\d{1,2}[月월]/,
]

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Words of now in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Turkish and Swedish. */
const cues = toSet(`now today current currently time date datetime timestamp clock
  jetzt heute aktuell aktuelle aktuelles aktueller uhrzeit uhr datum zeit
  maintenant aujourd actuelle actuel heure ahora hoy actual hora fecha
  adesso oggi attuale ora data agora hoje atual nu vandaag huidige tijd
  teraz dzisiaj dziś czas сейчас сегодня время дата bugün şimdi saat tarih idag tid`)

/** Japanese, Chinese and Korean write words without blanks. */
const cjkCues = /現在|今日|日時|日付|时间|時間|现在|今天|日期|当前|當前|지금|오늘|현재|시간|날짜/
const cjkWeekday = /[日月火水木金土]曜|星期[一二三四五六日天]|周[一二三四五六日]|[월화수목금토일]요일/

/** Monday, Montag, maandag, måndag, lunedì; the days of other languages are listed. */
const dayEnding = /^(?!to).{2,8}(?:day|tag|dag|dì)$/

const weekdays = toSet(`mon tue wed thu fri sat sun mittwoch sonnabend
  lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado sabato domingo domenica
  segunda terça quarta quinta sexta poniedziałek wtorek środa czwartek piątek sobota niedziela
  понедельник вторник среда четверг пятница суббота воскресенье
  pazartesi salı çarşamba perşembe cuma cumartesi pazar`)

/** The first three letters of the months. */
const months = toSet(`jan feb mar apr may jun jul aug sep oct nov dec mär mai okt dez fév avr jui aoû déc
  ene abr ago dic gen mag giu lug set ott fev out maa mei sty lut kwi maj cze lip sie wrz paź lis gru
  янв фев мар апр мая июн июл авг сен окт ноя дек oca şub nis haz tem ağu eyl eki kas ara`)
