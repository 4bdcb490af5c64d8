// What became of each entry, as a short text, and what the free room is for: the page reads both.
export {
  type Fate,
  type FateRun,
  fateInText,
  fates,
  readFates,
  toFateText,
} from '../log/fate-text.ts'
export { freeParts } from '../log/free-parts.ts'
