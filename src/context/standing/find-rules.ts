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
    const folded = toFolded(part)
    const languages = languagesOf(folded)
    return languages.length > 0 ? rulesIn(part, folded, languages) : []
  })
}

const endsOf = (text: string): readonly string[] =>
  text.length <= 2 * mostRead ? [text] : [text.slice(0, mostRead), text.slice(-mostRead)]

const foreign = /[^\0-\x7f]/

/** The languages in which a text may lay down a rule: mostly none. */
function languagesOf(folded: string): readonly RuleForms[] {
  const isForeign = foreign.test(folded)
  return [[undefined, english] as const, ...otherLanguages].flatMap(([script, forms]) => {
    const isWritten = script === undefined || (isForeign && script.test(folded))
    return isWritten && forms.mayRule.test(folded) ? [forms] : []
  })
}

/** A text in small letters without accents, with straight quotation marks. */
function toFolded(text: string): string {
  if (!foreign.test(text)) return text.toLowerCase()
  const plain = text.replace(/[’‘]/g, "'")
  return foreign.test(plain) ? fold(plain).replaceAll('ß', 'ss') : plain.toLowerCase()
}

/** The rules of a text: each from where its first sentence begins to where its last one ends. */
function rulesIn(text: string, whole: string, languages: readonly RuleForms[]): readonly string[] {
  const rules: string[] = []
  const isSameLength = !foreign.test(whole)
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
    const folded = isSameLength ? whole.slice(from, to) : toFolded(text.slice(from, to))
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

/** A sentence ends at a mark before a blank, at a mark of scripts without blanks, and with its line. */
function* sentencesOf(text: string): Generator<Stretch> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (!'\n.!?。！？।؟'.includes(letter)) continue
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
