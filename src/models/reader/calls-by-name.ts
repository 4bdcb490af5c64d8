import type { ToolSpec } from '../model.ts'
import { fillArguments } from './fill-arguments.ts'
import type { FoundCall } from './find-calls.ts'
import { stem } from './meaningful-words.ts'
import { isQuestion } from './split-sentences.ts'

interface Word {
  readonly stem: string
  readonly from: number
  readonly to: number
}

/**
 * Finds tools whose names a text says in plain words: `Generate the hypotheses for https://example.org` means
 * `generate_hypotheses`. Questions and `do not …` are no orders.
 */
export function callsByName(text: string, tools: readonly ToolSpec[]): readonly FoundCall[] {
  if (isQuestion(text) && !politeOrder.test(text)) return []
  const words = readWords(text)
  const found = tools.flatMap(tool => {
    const place = findName(text, words, nameWords(tool.name))
    if (place === undefined || isForbidden(text.slice(0, place.from))) return []
    return [{ ...place, name: tool.name, json: JSON.stringify(fillArguments(tool.parameters, text)) }]
  })
  return withoutOverlaps(found)
}

const politeOrder = /^\W*(?:please|(?:can|could|will|would) you)\b/i
/** Words that may stand between the words of a name. */
const fillers = new Set('a an the my our your this that these those some new another'.split(' '))

function readWords(text: string): readonly Word[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)]
    .filter(([word]) => !fillers.has(word))
    .map(({ 0: word, index }) => ({ stem: stem(word), from: index, to: index + word.length }))
}

/** `generate_hypotheses`, `generateHypotheses` and `generate-hypotheses` are the same two words. */
function nameWords(name: string): readonly string[] {
  const parts = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return parts
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !fillers.has(word))
    .map(stem)
}

function findName(
  text: string,
  words: readonly Word[],
  name: readonly string[],
): Pick<Word, 'from' | 'to'> | undefined {
  if (name.length === 0) return undefined
  const at = words.findIndex(
    (_, start) =>
      name.every((part, offset) => words[start + offset]?.stem === part) &&
      // A name of one word is an order only at the beginning of a sentence or a step.
      (name.length > 1 || isBeginning.test(text.slice(0, words[start]!.from))),
  )
  return at < 0 ? undefined : { from: words[at]!.from, to: words[at + name.length - 1]!.to }
}

const isBeginning = /(?:^|[.!?,;:\n]|\b(?:please|and|then|now|first|you|to))\W*$/i

function isForbidden(textBefore: string): boolean {
  return /\b(?:not|never|don['’]?t|without)\s+(?:\w+\s+)?$/i.test(textBefore)
}

/** Sorts calls by their place in the text; of two names that overlap, the longer one is meant. */
function withoutOverlaps(found: readonly FoundCall[]): readonly FoundCall[] {
  return found
    .filter(one => !found.some(other => other !== one && contains(other, one)))
    .toSorted((a, b) => a.from - b.from)
}

function contains(outer: FoundCall, inner: FoundCall): boolean {
  const [outerLength, innerLength] = [outer.to - outer.from, inner.to - inner.from]
  return outer.from < inner.to && inner.from < outer.to && outerLength > innerLength
}
