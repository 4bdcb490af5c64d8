const size = 256

/**
 * An embedder without a model, for machines without Ollama. Every word has a direction of its own, and leans towards the
 * words that stand in the same messages: words of one matter become alike. Far from what a model knows, and the same
 * everywhere. `texts`: what it learns from.
 */
export function standIn(texts) {
  const frequency = new Map()
  const leaning = new Map()
  for (const text of texts) {
    const words = wordsOf(text)
    const sum = new Float64Array(size)
    for (const word of words) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1)
      addTo(sum, directionOf(word), 1)
    }
    for (const word of words) {
      if (!leaning.has(word)) leaning.set(word, new Float64Array(size))
      // Without itself.
      addTo(leaning.get(word), sum, 1)
      addTo(leaning.get(word), directionOf(word), -1)
    }
  }
  return {
    model: 'stand-in',
    async embed(asked) {
      return asked.map(text => {
        const vector = new Float64Array(size)
        for (const word of wordsOf(text)) {
          const rarity = Math.log(1 + texts.length / (1 + (frequency.get(word) ?? 0)))
          addTo(vector, directionOf(word), (2 * rarity) / Math.sqrt(size))
          const lean = leaning.get(word)
          if (lean) addTo(vector, lean, rarity / Math.max(1, lengthOf(lean)))
        }
        return vector
      })
    },
  }
}

const wordsOf = text => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,40}/gu) ?? [])

const directions = new Map()

/** A direction that follows from the letters of a word. */
function directionOf(word) {
  const known = directions.get(word)
  if (known) return known
  let state = 0x811c9dc5
  for (let at = 0; at < word.length; at++)
    state = Math.imul(state ^ word.charCodeAt(at), 0x01000193)
  const direction = Float64Array.from({ length: size }, () => {
    state = Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x9e3779b9
    return (state >>> 16) & 1 ? 1 : -1
  })
  directions.set(word, direction)
  return direction
}

function addTo(sum, vector, weight) {
  for (let at = 0; at < size; at++) sum[at] += weight * vector[at]
}

const lengthOf = vector => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
