import { fold } from '../../log/fold.ts'

/** A sentence of a user that is meant to hold from then on, and the unit of its message. */
export interface StandingRule {
  readonly unit: number
  readonly text: string
}

/** The rules that still hold, of rules in the order in which they were said: a newer one wins over what contradicts it. */
export function inForce<Rule extends StandingRule>(rules: readonly Rule[]): readonly Rule[] {
  const held: { readonly rule: Rule; readonly about: About }[] = []
  for (const rule of rules.toReversed()) {
    const about = aboutOf(rule.text)
    if (!held.some(newer => isReplaced(about, newer.about))) held.push({ rule, about })
  }
  return held.reverse().map(({ rule }) => rule)
}

type About = ReturnType<typeof aboutOf>

function aboutOf(text: string) {
  const folded = fold(text).replaceAll('ß', 'ss')
  const words = new Set((folded.match(/[\p{L}\p{N}]+/gu) ?? []).filter(word => !empty.has(word)))
  return { words, isBan: ban.test(folded), topic: topics.findIndex(topic => topic.test(folded)) }
}

/** Whether a newer rule says the same or the opposite, or sets the same thing anew, such as the language of the replies. */
function isReplaced(old: About, newer: About): boolean {
  if (old.topic >= 0 && old.topic === newer.topic) return true
  const [few, many] =
    old.words.size < newer.words.size ? [old.words, newer.words] : [newer.words, old.words]
  const shared = [...few].filter(word => many.has(word)).length
  const isSame = shared === many.size
  return isSame || (old.isBan !== newer.isBan && shared > 0 && shared >= few.size * sameMatter)
}

/** The share of its words that a rule has in common with one that takes it back. */
const sameMatter = 0.6

const ban =
  /(?<!\p{L})(?:never|don't|do not|avoid|no more|without|nie|niemals|kein\p{L}*|nicht|nunca|jamas|no|لا|मत|नहीं)(?!\p{L})|不要|别|別|不|ないで|しない|禁止|하지|지 ?마|지 ?말/u

const languages =
  'english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic|hindi|chinese|japanese|korean|englisch|deutsch|franzosisch|spanisch|italienisch|ingles|aleman|frances|espanol|castellano|الانجليزية|العربية|بالعربية|अंग्रेजी|हिंदी|हिन्दी|英文|英语|中文|日文|德语|法语|英語|日本語|中国語|영어|한국어|중국어|일본어'

/** What a user sets only one way at a time: the language of the replies, how they begin and end, what the user is called. */
const topics: readonly RegExp[] = [
  new RegExp(
    `^[^.]{0,60}(?:answer|repl|respond|speak|talk|write|antworte|schreib|sprich|respond|contest|habl|escrib|اجب|اكتب|تحدث|रद|जवाब|लिख|回答|回复|說|说|答え|返信|답)[^.]{0,40}(?:${languages})`,
    'u',
  ),
  /(?:end|finish|close|conclude|sign) (?:every|each|all|your|off)|beende jede|termina cada/,
  /(?:begin|start|open|preface) (?:every|each|all|your)|beginne jede|empieza cada/,
  /(?:call|address) me |refer to me as|nenn(?:e)? mich|llamame/,
]

/** Words that say nothing of what a rule is about. */
const empty = new Set(
  `a ab ahora all allways always an and any at ausschliesslich be by cada conversation de do don each en ever every for
from future going forward henceforth i if immer in it jede jeden jeder jedes jetzt just las los make me my never nie
niemals no not now nunca of on only or partir please por favor remember rest session siempre stets sure t that the
then this to und until use using when whenever with y you your`.split(/\s+/),
)
