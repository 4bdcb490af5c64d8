import { parseArgs } from 'node:util'

const options = {
  json: { type: 'boolean', default: false },
  /** No conversation gets longer than this. */
  turns: { type: 'string' },
  /** Only the subjects whose name has this text. */
  only: { type: 'string', default: '' },
}

export function readOptions() {
  try {
    const { json, only, turns } = parseArgs({ options }).values
    return { json, only, sizes: toSizes(turns) }
  } catch (error) {
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}

function toSizes(turns) {
  const sizes = [500, 10_000]
  if (turns === undefined) return sizes
  const most = Number(turns)
  if (!Number.isInteger(most) || most < 4)
    throw new Error(`--turns ${turns} is not a whole number from 4`)
  return [...new Set(sizes.map(size => Math.min(size, most)))]
}
