import type { Embedder, EmbedRequest } from '@throughline/core/recall'

/** Words that mean the same here. */
const synonyms = [
  ['car', 'automobile', 'vehicle'],
  ['physician', 'doctor'],
  ['dwelling', 'cottage'],
]

const length = 96

/**
 * An embedder without a model: a text is the sum of the directions of its words, and synonyms share theirs. The same texts
 * give the same vectors in every process.
 */
export function standInEmbedder(model = 'stand-in') {
  const asked: (readonly string[])[] = []
  const embedder = {
    model,
    asked,
    // Meaning alone opens the gate for a question: what the tests of vectors look for.
    weight: 1,
    embed: async (texts: readonly string[], _?: EmbedRequest) => {
      asked.push([...texts])
      return texts.map(standInVector)
    },
  } satisfies Embedder & { readonly weight: number; readonly asked: unknown }
  return embedder
}

export function standInVector(text: string): number[] {
  const vector = new Array<number>(length).fill(0)
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
    const same = synonyms.find(words => words.includes(word))
    // What is told of a thing counts less than the thing.
    const weight = same ? 3 : 1
    let seed = hash(same?.[0] ?? word)
    for (let at = 0; at < length; at++) {
      seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) ^ at
      vector[at]! += seed & 0x10000 ? weight : -weight
    }
  }
  return vector
}

function hash(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}
