// Imports and exports of conversations, and why one stops.
export { ExportError } from '../transfer/export-conversation.ts'
export { ImportStoppedError, InvalidImportError } from '../transfer/import-error.ts'
export type { Imported, ImportOptions, TextPieces } from '../transfer/import-text.ts'
