import { openDatabase } from '@throughline/stores/postgres/database'
import { indexWaiting } from '@throughline/stores/postgres/word-indexer'

/** A process that indexes all words that wait in a schema, until it is killed. */
const [url = '', schema = ''] = process.argv.slice(-2)
const database = openDatabase({ url })
for (;;) await indexWaiting({ database, schema, isIndexed: true, isDistributed: false })
