// Stores in memory, and over any database of documents.
export { documentStore } from '../document/document-store.ts'
export { memoryStore } from '../memory/memory-store.ts'
