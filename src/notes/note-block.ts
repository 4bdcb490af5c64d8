import { MAX_NOTE, toNote } from './note-text.ts'

/** The inside of one block, read piece by piece to its closing bracket. */
export interface NoteBlock {
  /** Reads on from a place in a text; gives where the block ends in it, or the end of the text. */
  read(text: string, from: number): number
  isOpen(): boolean
  /** The note as far as it was read. */
  note(): string | undefined
}

/** Brackets inside a note balance: `[NOTE TO SELF: see items[0]]` is one block. Memory is bounded, the block is not. */
export function openNoteBlock(): NoteBlock {
  let depth = 1
  let said = ''

  function read(text: string, from: number): number {
    const brackets = /[[\]]/g
    brackets.lastIndex = from
    while (depth > 0) {
      const found = brackets.exec(text)
      if (found === null) {
        keep(text.slice(from))
        return text.length
      }
      depth += found[0] === '[' ? 1 : -1
    }
    keep(text.slice(from, brackets.lastIndex - 1))
    return brackets.lastIndex
  }

  /** One character more than a note may have tells that it was cut. */
  function keep(part: string): void {
    said += (said === '' ? part.trimStart() : part).slice(0, MAX_NOTE + 1 - said.length)
  }

  return { read, isOpen: () => depth > 0, note: () => toNote(said) }
}
