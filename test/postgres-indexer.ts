import { openDatabase } from '../src/stores/postgres/database.ts'
import { indexWaiting } from '../src/stores/postgres/word-indexer.ts'

/** A process that indexes all words that wait in a schema, until it is killed. */
const [url = '', schema = ''] = process.argv.slice(-2)
const database = openDatabase({ url })
for (;;) await indexWaiting({ database, schema, isIndexed: true, isDistributed: false })
