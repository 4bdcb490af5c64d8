export { journalOf, previousTurnSummary } from './journal.ts'
export { neutralizeNotes } from './neutralize.ts'
export {
  type NoteInstructionOptions,
  noteInstruction,
  noteTool,
  noteToolName,
  readNoteCall,
} from './note-instruction.ts'
export {
  createNoteScanner,
  type NoteFilterOptions,
  type NoteOptions,
  type NoteScanner,
  noteFilter,
  type SplitReply,
  splitNote,
} from './note-scanner.ts'
export { shownArguments } from './shown-arguments.ts'
export { showEach, toDisplay } from './to-display.ts'
