// Notes that a model keeps for itself: asked for, found in a reply, hidden from users.
export { type Action, readActions } from '../log/actions.ts'
export { noteInstruction, noteTool, readNoteCall } from '../notes/note-instruction.ts'
export {
  createNoteScanner,
  type NoteOptions,
  type NoteScanner,
  noteFilter,
  splitNote,
} from '../notes/note-scanner.ts'
export { shownArguments } from '../notes/shown-arguments.ts'
export { carriesNote, showEach, toDisplay, veiledResult } from '../notes/to-display.ts'
