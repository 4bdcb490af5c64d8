import { fold } from '../../log/fold.ts'
import { english } from './english.ts'
import { otherLanguages } from './other-languages.ts'
import type { RuleForms } from './rule-forms.ts'

/** Of a longer text this many characters of each end are read: what is between them is a paste. */
const mostRead = 1500
/** Longer sentences are no rules. */
const longest = 300
/** The most lines of a list behind a line such as "From now on:". */
const mostListed = 8

/**
 * The sentences of a user that are meant to hold for the rest of a conversation, word for word: "Always …", "From now on …",
 * "When you …, use …". Sentences in a row are one rule. Code and quoted lines are not read. One pass over the text.
 */
export function findRules(text: string): readonly string[] {
  return endsOf(text).flatMap(part => {
    const isPlain = !foreign.test(part)
    const folded = isPlain ? part.toLowerCase() : toFolded(part)
    const isForeign = !isPlain && foreign.test(folded)
    const languages = languagesOf(folded, isForeign)
    return languages.length > 0 ? rulesIn(part, { folded, isForeign, languages }) : []
  })
}

const endsOf = (text: string): readonly string[] =>
  text.length <= 2 * mostRead ? [text] : [text.slice(0, mostRead), text.slice(-mostRead)]

const foreign = /[^\0-\x7f]/

const latin = [
  english,
  ...otherLanguages.flatMap(([script, forms]) => (script === undefined ? [forms] : [])),
]

/** One search for the words of all languages in Latin letters: most texts have none of them. */
const mayRuleInLatin = new RegExp(latin.map(({ mayRule }) => mayRule.source).join('|'))

/** The languages in which a text may lay down a rule: mostly none. */
function languagesOf(folded: string, isForeign: boolean): readonly RuleForms[] {
  const languages = mayRuleInLatin.test(folded)
    ? latin.filter(forms => forms.mayRule.test(folded))
    : []
  if (!isForeign) return languages
  for (const [script, forms] of otherLanguages)
    if (script?.test(folded) && forms.mayRule.test(folded)) languages.push(forms)
  return languages
}

/** A text in small letters without accents, with straight quotation marks. */
function toFolded(text: string): string {
  if (!foreign.test(text)) return text.toLowerCase()
  const plain = text.replace(/[’‘]/g, "'")
  return foreign.test(plain) ? fold(plain).replaceAll('ß', 'ss') : plain.toLowerCase()
}

/** What is known of a text. */
interface FoldedText {
  readonly folded: string
  readonly isForeign: boolean
  readonly languages: readonly RuleForms[]
}

/** The rules of a text: each from where its first sentence begins to where its last one ends. */
function rulesIn(
  text: string,
  { folded: whole, isForeign, languages }: FoldedText,
): readonly string[] {
  const rules: string[] = []
  // Where letters became two, as ß does, places differ.
  const isAligned = !isForeign && whole.length === text.length
  /** Where the rule that is being read begins and ends, and how many more sentences it takes in. */
  let [start, end, more] = [-1, -1, 0]
  let isCode = false
  for (const { from, to } of sentencesOf(text)) {
    const kind = kindOf(from, to)
    if (kind === 'blank') continue
    if (kind === 'other') {
      if (start >= 0) rules.push(text.slice(start, end).trim())
      start = -1
      more = 0
      continue
    }
    if (start < 0) start = from
    end = to
    more = kind === 'lead' ? 1 : kind === 'list' ? mostListed : Math.max(0, more - 1)
  }
  if (start >= 0) rules.push(text.slice(start, end).trim())
  return rules.filter(rule => /\p{L}/u.test(rule))

  function kindOf(from: number, to: number): 'lead' | 'list' | 'rule' | 'other' | 'blank' {
    const folded = isAligned ? whole.slice(from, to) : toFolded(text.slice(from, to))
    const isFence = folded.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    if (isCode || isFence) return 'other'
    const spoken = languages.filter(({ mayRule }) => mayRule.test(folded))
    if (spoken.length === 0 && more === 0) return folded.trim() === '' ? 'blank' : 'other'
    const line = folded.trim()
    if (line === '') return 'blank'
    if (line.length > longest || /^[`>|<{]|[?？؟]["”]?$/.test(line)) return 'other'
    const isListed = /^(?:[-*•–]|\d{1,2}[.)])\s/.test(line)
    const wanted = line
      .replace(/^(?:[-*•–]|\d{1,2}[.)])\s+/, '')
      .replace(/^[*_"“]+/, '')
      .replace(/[\s.!。！।…"”*]+$/, '')
    if (spoken.some(forms => forms.isLead(wanted))) return /[:：]$/.test(line) ? 'list' : 'lead'
    // Behind a colon stands a list, or one sentence.
    if (more === mostListed && !isListed) more = 1
    if (more === 1 || (more > 1 && isListed)) return 'rule'
    return spoken.some(forms => forms.isRule(wanted)) ? 'rule' : 'other'
  }
}

interface Stretch {
  readonly from: number
  readonly to: number
}

const endings = new Set('\n.!?。！？।؟')

/** A sentence ends at a mark before a blank, at a mark of scripts without blanks, and with its line. */
function* sentencesOf(text: string): Generator<Stretch> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Most characters are blanks and letters.
    if (code === 32 || (code > 63 && code < 0x61f)) continue
    const letter = text[at]!
    if (!endings.has(letter)) continue
    const isEnd = !'.!?'.includes(letter) || /^["'”’)\]]?(?:\s|$)/.test(text.slice(at + 1, at + 3))
    if (!isEnd) continue
    let to = at + 1
    while (letter !== '\n' && to < text.length && '"\'”’)]」』'.includes(text[to]!)) to += 1
    // "1." begins a line of a list.
    if (letter === '.' && /^\s*\d{1,2}$/.test(text.slice(from, at))) continue
    yield { from, to }
    from = to
    at = to - 1
  }
  if (from < text.length) yield { from, to: text.length }
}
