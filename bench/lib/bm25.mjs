/** Plain BM25 over documents, each a list of terms: a function that gives the score of every document for a query. */
export function bm25(documents, { k = 1.2, b = 0.75 } = {}) {
  const frequencies = new Map()
  const counted = documents.map(terms => {
    const counts = new Map()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const term of counts.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
    return { counts, length: terms.length }
  })
  const size = documents.length
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / size
  return query =>
    counted.map(({ counts, length }) => {
      let score = 0
      for (const term of new Set(query)) {
        const count = counts.get(term) ?? 0
        const frequency = frequencies.get(term) ?? 0
        const rarity = Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
        score += (rarity * count * (k + 1)) / (count + k * (1 - b + (b * length) / mean))
      }
      return score
    })
}

/** The words of a text in small letters, without stop words, plurals and endings of verbs. */
export function toTerms(text) {
  const words = text.toLowerCase().match(/[a-z\d]+/g) ?? []
  return words.filter(word => !stopWords.has(word)).map(stem)
}

function stem(word) {
  const root = word.replace(/ies$/, 'y').replace(/(?<=...)(?:ing|ed|es|s)$/, '')
  return root.replace(/([bdfgmnprt])\1$/, '$1').replace(/(?<=...)e$/, '')
}

const stopWords = new Set(
  (
    'a about all also am an and any are as at be because been but by can could d did do does for from get got had has ' +
    'have he her him his how i if in into is it its just ll m me my no not of on or our re s she should so some t than ' +
    'that the their them then there these they this those to up ve was we were what when where which who whom why will ' +
    'with would you your'
  ).split(' '),
)
