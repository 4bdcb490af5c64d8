import { parseArgs } from 'node:util'

/** What every benchmark is told: --json, and --data with a folder of conversations for those that need real ones. */
export function readArgs() {
  try {
    const options = { json: { type: 'boolean', default: false }, data: { type: 'string' } }
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}
