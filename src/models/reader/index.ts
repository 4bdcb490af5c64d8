export { type Answer, answer, type ReaderAnswer, type ReaderQuestion } from './answer.ts'
export { countWords } from './count-words.ts'
export { type ReaderOptions, reader } from './reader.ts'
export {
  type ReaderUpstreamOptions,
  readerUpstream,
  type SeenRequest,
} from './upstream/reader-upstream.ts'
