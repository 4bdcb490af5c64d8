// Small helpers for values, lists and lines, without a thought of conversations.
export { firstPlace, rangeAt } from '../context/conversation/first-place.ts'
export { fromBase64, toBase64 } from '../log/base64.ts'
export { groupBy } from '../log/group-by.ts'
export { hashOf, toCanonical } from '../log/hash-of.ts'
export { joinRanges } from '../log/join-ranges.ts'
export { cut, few, plural, windowName } from '../log/line.ts'
export { madeOnce } from '../log/looks.ts'
export { orAborted } from '../log/or-aborted.ts'
export { putNewest } from '../log/put-newest.ts'
export {
  attempt,
  isCount,
  isObject,
  parseJson,
  parseJsonObject,
  present,
  toArguments,
} from '../log/values.ts'
export { freeze, isContainer } from '../state/freeze.ts'
