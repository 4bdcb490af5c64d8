import { askingWords, fold } from './terms.ts'

/** Whether a text asks, at least in passing: it has a question mark, or begins like a question. */
export const isQuestion = (text: string): boolean => /[?？؟]/.test(text) || isPlain(text)

/** Whether a text begins like a question, in one of eight languages: not everyone types the mark. */
export const isPlain = (text: string): boolean => asks.test(fold(text.slice(0, 200)))

/** English, German, Spanish and Arabic put the word that asks first, or after a preposition. */
const prepositions = 'a|als|an|con|de|en|in|mit|por|von|على|في|من|الى'
const first = `${askingWords.replaceAll(' ', '|')}|list|recall|remind|summari[sz]e|tell me|whose|hat|hast|ist|sag mir|\
wann|warum|we[mnr]|wei(?:ß|ss)t|welche[mnrs]?|wie|wieso|wo(?:fur|gegen|her|hin|mit|ran|von|zu)?|\
como|cual|cuando|cuant[ao]s?|dime|donde|que|quien|اخبرني|اي|اين|كم|كيف|لماذا|ما|ماذا|متى|من|هل`

/** Chinese, Japanese, Korean and Hindi leave it where the answer will stand: it is looked for in the first sentence. */
const anywhere = `什[么麼]|[谁誰哪吗嗎何怎]|多少|几[点号岁]|告[诉訴]我|ど[このれんう]|いつ|なぜ|いく[つら]|教えて|\
언제|어[디느떤떻]|누[구가]|무[엇슨]|뭐|왜|얼마|알려|[か까](?!\\p{L})|क(?:्य|ब|हा[ँं]|ौन|ि[सत]|ैस)(?!ी)|बता`

const asks = new RegExp(
  `^(?:[^\\p{L}]*(?:(?:${prepositions}) )?(?:${first})(?!\\p{L})|[^.!。！\\n]{0,80}?(?:${anywhere}))`,
  'u',
)
