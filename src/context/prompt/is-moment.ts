/**
 * Whether a line tells the time or the date of now, by its form alone: `Current time is 12:03`, `Today's date: 2026-11-16`,
 * `Montag, 16. November 2026`. A date among other words, in a quoted sentence or in an example is none.
 */
export function isMoment(line: string): boolean {
  if (line.length > (/\d/.test(line) ? longest : longestDay)) return false
  const text = line.normalize('NFKC').toLowerCase().replace(quoted, withoutSaying)
  // The point behind a number ends no sentence: `16. November`. The one behind `e.g.` ends none, either.
  if (text.split(/(?<=[^\d\s.]{2}[.!?。])\s+/).some(isNow)) return true
  const label = wordsIn(text).filter(word => word.length > 1 && !isOfTime(word)).length
  const isLabelled = label === 0 || (label <= fewWords && /\p{L}[^\p{L}\d]{0,3}[:=>]/u.test(text))
  return isLabelled && !isSample(beforeNumber(text)) && hasTime(text)
}

/** Whether a sentence begins by saying that it tells the present, and then tells a time or a day. */
function isNow(sentence: string): boolean {
  const before = beforeNumber(sentence)
  return (
    (cjkNow.test(before) || localTime.test(before) || hasNow(before, nearStart)) &&
    !isSample(before) &&
    (hasTime(sentence) || isWeekday(sentence) || epoch.test(sentence))
  )
}

/** Whether a sample follows a text in lower case. `Current time in ISO format` announces none: it begins with now. */
export const isSample = (text: string): boolean =>
  samples.test(text) && !hasNow(text.split(samples, 1)[0]!, 2)

const hasNow = (text: string, near: number): boolean =>
  wordsIn(text)
    .slice(0, near)
    .some(word => nowWords.has(word))

/** A quoted time may be that of now; what else is quoted is a sample. */
const withoutSaying = (quote: string): string => (wordsIn(beforeNumber(quote)).every(isDay) ? quote : ' ')

const beforeNumber = (text: string): string => text.split(/\d/, 1)[0]!

const wordsIn = (text: string): readonly string[] => text.match(/\p{L}{1,40}/gu) ?? []

const hasTime = (text: string): boolean =>
  timeOrDate.test(text) || (text.match(besideNumber) ?? []).flatMap(wordsIn).some(isMonth)

const isWeekday = (text: string): boolean =>
  cjkWeekday.test(text) || wordsIn(text).some(word => day.test(word))

const isMonth = (word: string): boolean => months.test(word)

const isDay = (word: string): boolean => isMonth(word) || isWeekday(word)

/** Whether a word is a part of a time, or a name for it. */
const isOfTime = (word: string): boolean => isDay(word) || timeWords.has(word) || nowWords.has(word)

/** Longer lines say more than a time, or than a day without a number. */
const longest = 300
const longestDay = 60
/** A line with no more words than this besides its time says nothing but the time. */
const fewWords = 2
/** Where in a sentence the word stands that says that it tells the present. */
const nearStart = 4

/** What announces a sample. A tag does not: it has an end. Nor does `(ISO format)`: it explains what follows. */
const samples = /^(?:if|wh?enn?) |(?<![</])e[xj][ae]mp|beispiel|such as|\blike\b|\bformat(?!\))|\be\.g|例/
/** An apostrophe inside a word is no quote. */
const quoted = /`[^`]*`|["“„][^"“”]*["“”]|(?<!\p{L})'[^']*'/gu

// No part of these forms repeats what may be empty or overlaps with what follows, so each is linear.
const timeOrDate =
  /(?<!\d)(?:(?:[01]?\d|2[0-3])[:h.][0-5]\d|(?:19|20)\d\d[-/.][01]?\d[-/.][0-3]?\d|[0-3]?\d[-/.] ?[01]?\d[-/.] ?(?:19|20)\d\d|1?\d ?[ap]\.?m\b)(?!\d)|\d(?:[時时点]|[年년] ?\d{1,2}[月월])/
/** Where a month may stand: `16th of November`, `September 16`. */
const besideNumber = /[^\d:=]{0,10}\d[^\d:=]{0,14}/g
const epoch = /(?<!\d)1[5-9]\d{8}(?:\d{3})?(?!\d)/

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Words of now in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Turkish and Swedish. */
const nowWords = toSet(`now today current currently timestamp jetzt heute aktuell aktuelle aktuelles aktueller
  maintenant aujourd actuelle actuel ahora hoy actual adesso oggi attuale agora hoje atual nu vandaag huidige
  teraz dzisiaj dziś сейчас сегодня bugün şimdi idag`)

/** Names of a time in the same languages, and short words that stand beside one. */
const timeWords = toSet(`time date datetime clock uhrzeit uhr datum zeit heure hora fecha ora data tijd
  czas время дата saat tarih tid the it is es ist der nous sommes le as of at am pm utc gmt th`)

/** The time of a place is that of now; other times, such as `Opening time`, are not. */
const localTime = /^(?:the |user.s )*(?:local|server|system) (?:date|time)/

/** Japanese, Chinese and Korean write words without blanks. The last form is a sentence that begins with `The time is`. */
const cjkNow = /現在|今日|现在|今天|当前|當前|지금|오늘|현재|^[日时時].[は是]/
const cjkWeekday = /[日月火水木金土]曜|星期[一二三四五六日天]|周[一二三四五六日]|[월화수목금토일]요일/

/** Monday, Montag, maandag, måndag, lunedì; short English days; the beginnings of the days of other languages. */
const day =
  /^(?!to|holi|birth|every|week).{2,8}(?:day|tag|dag|dì)$|^(?:mon|tue|wed|thu|fri|sat|sun)$|^(?:mittw|sonnab|lun[de]|mard|marte|mercre|merco|miérc|jeud|juev|vendre|viern|samed|s[aá]ba|diman|dom[ie]n|segund|terç|quarta|quint|sext|poni|wtor|środ|czw|piąt|sobo|niedz|пон|вто|сре|чет|пят|суб|вос|paza|salı|çar|perş|cuma)/

/** The first three letters of the months; four where three begin common words. */
const months =
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|jui|aoû|déc|ene|abr|ago|dic|gen|mag|giu|lug|sett|sete|ott|fev|outu|maa|mei|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек|oca|şub|nis|haz|temm|ağu|eyl|eki|kas|ara)/
