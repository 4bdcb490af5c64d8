import { writeSync } from 'node:fs'
import { sqliteStore } from '@throughline/stores/sqlite'
import { runFiveSteps } from './five-steps.ts'

/** A process that runs the five steps, or goes on with them, and kills itself at a boundary. */
const { path, killAt, laterMs, isResumed } = JSON.parse(process.argv[2]!) as {
  readonly path: string
  readonly killAt?: number
  readonly laterMs: number
  readonly isResumed: boolean
}
let count = 0
const boundary = () => {
  if (count++ === killAt) process.kill(process.pid, 'SIGKILL')
}
const store = sqliteStore({ path, now: () => Date.now() + laterMs })
const outcome = await runFiveSteps({ store, boundary }, isResumed)
await store.close()
writeSync(1, JSON.stringify({ outcome, count }))
process.exit(0)
