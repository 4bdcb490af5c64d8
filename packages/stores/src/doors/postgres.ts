// The store in PostgreSQL.
export { openDatabase } from '../postgres/database.ts'
export { postgresStore } from '../postgres/postgres-store.ts'
export { indexWaiting } from '../postgres/word-indexer.ts'
