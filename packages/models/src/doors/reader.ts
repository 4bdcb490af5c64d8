// Models without a model: the reader and scripted rules.
export { answer } from '../reader/answer.ts'
export { countWords } from '../reader/count-words.ts'
export { type ReaderOptions, reader } from '../reader/reader.ts'
export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from '../rules.ts'
