/**
 * The words of a conversation as bytes: a restart reads them instead of every old text. Code that packs or restores an index
 * uses these functions; how the bytes are laid out is known only to the files beside this one.
 */
export { packIndex, unpackIndex } from './pack-index.ts'
export { packStretch, stretchSize } from './packed-stretch.ts'
export { createPackedWords, indexAfter } from './packed-words.ts'
