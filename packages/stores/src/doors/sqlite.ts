// The store in a file of SQLite, and its copies.
export { backupSqlite } from '../sqlite/backup.ts'
export { loadDriver } from '../sqlite/driver.ts'
export { sqliteStore } from '../sqlite/sqlite-store.ts'
