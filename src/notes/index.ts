export { journalOf, previousTurnSummary } from './journal.ts'
export { neutralizeNotes } from './neutralize.ts'
export type { NoteOptions } from './nonce.ts'
export { type NoteFilterOptions, noteFilter } from './note-filter.ts'
export {
  type NoteInstructionOptions,
  noteInstruction,
  noteTool,
  noteToolName,
  readNoteCall,
} from './note-instruction.ts'
export { createNoteScanner, type NoteScanner, type SplitReply } from './note-scanner.ts'
export { shownArguments } from './shown-arguments.ts'
export { splitNote } from './split-note.ts'
export { showEach, toDisplay } from './to-display.ts'
