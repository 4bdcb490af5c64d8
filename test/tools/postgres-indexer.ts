import { indexWaiting, openDatabase } from '@throughline/stores/postgres'

/** A process that indexes all words that wait in a schema, until it is killed. */
const [url = '', schema = ''] = process.argv.slice(-2)
const database = openDatabase({ url })
for (;;) await indexWaiting({ database, schema, isIndexed: true, isDistributed: false })
