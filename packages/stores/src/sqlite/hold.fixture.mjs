/**
 * A process of another program that holds a database file until it is killed. Arguments: `write` or `read`, and the file.
 * It needs nothing that is built.
 */
import { createRequire } from 'node:module'

const [how, path] = process.argv.slice(2)
const load = () => createRequire(import.meta.url)('@photostructure/sqlite')
const { DatabaseSync } = process.getBuiltinModule?.('node:sqlite') ?? load()
const database = new DatabaseSync(path)
database.exec('PRAGMA busy_timeout = 60000')
database.exec(how === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
// A reader sees the file as it is at its first statement, for as long as it reads.
database.prepare('SELECT count(*) FROM sqlite_schema').get()
process.stdout.write('holding\n')
// Held here too: a collected database would give the file back.
setInterval(() => database.isOpen, 1000)
