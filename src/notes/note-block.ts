import { MAX_NOTE, toNote } from './note-text.ts'

/** Reads the inside of one block piece by piece, to its closing bracket. */
export interface NoteBlock {
  /** Reads on from a place in a text; returns the place where the block ends, or the end of the text. */
  read(text: string, from: number): number
  isOpen(): boolean
  note(): string | undefined
}

/** Brackets inside a note balance: `[NOTE TO SELF: see items[0]]` is one block. Of a long block only a bounded part is kept. */
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

  /** Keeps one character more than a note may have, to know that it was cut. */
  function keep(part: string): void {
    said += (said === '' ? part.trimStart() : part).slice(0, MAX_NOTE + 1 - said.length)
  }

  return { read, isOpen: () => depth > 0, note: () => toNote(said) }
}
