import { parseArgs } from 'node:util'

/** The options of every benchmark: --json, and --data with a folder of real conversations; and those of its own. */
export function readArgs(own = {}) {
  try {
    const options = { json: { type: 'boolean', default: false }, data: { type: 'string' }, ...own }
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}
