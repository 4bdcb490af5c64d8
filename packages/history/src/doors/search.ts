// Finds words in many conversations, quotes and repeats.
export { loadQuotes } from '../log/load-quotes.ts'
export { toQuery } from '../log/match-text.ts'
export { rootOf } from '../log/repeats.ts'
