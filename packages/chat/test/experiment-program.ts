import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHistory } from '@throughline/history'
import { ollama } from '@throughline/models'
import { sqliteStore } from '@throughline/stores/sqlite'
import { inChat } from '@throughline/test-tools/chat-help'
import { createChat } from '../src/index.ts'
import { experimentTools } from './experiment-tools.ts'

/** A server process that answers one message of the experiment flow, says what came of it, and waits to be killed. */
export interface ProgramOptions {
  readonly path: string
  readonly host: string
  readonly text: string
  /** Hangs in the middle of a tool. */
  readonly isHanging?: boolean
  readonly leaseMs?: number
}

export interface ProgramLine {
  readonly kind: 'hanging' | 'answered'
  readonly results: readonly string[]
}

const options = JSON.parse(process.argv[2] ?? '{}') as ProgramOptions
const print = (line: ProgramLine) => writeSync(1, `${JSON.stringify(line)}\n`)
const forever = () => new Promise<void>(() => setInterval(() => {}, 1_000))

const beforeVariants = async () => {
  if (!options.isHanging) return
  print({ kind: 'hanging', results: [] })
  await forever()
}
const { path, host, text, leaseMs = 30_000 } = options
const history = createHistory({ store: sqliteStore({ path }), leaseMs })
const model = ollama({ model: 'reader', host })
const chat = createChat({ history, model, tools: experimentTools({ beforeVariants }) })
print({ kind: 'answered', results: await answer() })
await forever()

/** Waits until the lease of a process that was killed in the middle has run out. */
async function answer(): Promise<readonly string[]> {
  for (;;) {
    const results: string[] = []
    let code: string | undefined
    for await (const part of chat.send(text, { ...inChat, projectId: 'p1' })) {
      if (part.type === 'tool-result') results.push(part.text)
      if (part.type === 'error') code = part.error.code
    }
    if (code === undefined) return results
    if (code !== 'turn_open') return [`Error: ${code}`]
    await sleep(20)
  }
}
