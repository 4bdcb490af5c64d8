// Reads what comes from outside: the text of a body, and the fields of what is in it.
export {
  type Fields,
  isFields,
  optional,
  read,
  readBody,
  readEach,
  readFields,
  readList,
  readMetadata,
  readText,
  refuse,
} from '../log/fields.ts'
export {
  behindSpace,
  comma,
  type ElementEnd,
  type JsonLimits,
  type Look,
  lookAt,
  noJson,
  parseBody,
  parseText,
  type SeenList,
  spaces,
} from '../log/parse-body.ts'
