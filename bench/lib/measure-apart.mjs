import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '../../dist/history/index.js'
import { sqliteStore } from '../../dist/stores/sqlite/sqlite-store.js'
import { count } from './policies.mjs'
import { sessionsOf } from './sessions.mjs'

/**
 * The same questions with every session a conversation of its own, asked in a new one: the share with all evidence in the
 * context, and the tokens that are read when all user messages of the sessions come one after the other.
 */
export async function measureApart(conversations, policy, window) {
  const sum = { all: 0, questions: 0, read: 0, turns: 0, ms: 0 }
  for (const one of conversations) {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-apart-'))
    const store = sqliteStore({ path: join(folder, 'log.db') })
    try {
      await measureOne(one, { store, policy, window }, sum)
    } finally {
      await store.close()
      rmSync(folder, { recursive: true })
    }
  }
  const { all, questions, read, turns, ms } = sum
  return {
    all: all / questions,
    questions,
    readPerTurn: Math.round(read / turns),
    msPerTurn: ms / turns,
  }
}

/** One of this number of sessions is lived through, message by message; the others are written down at once. */
const livedEach = 5

async function measureOne({ turns, questions }, { store, policy, window }, sum) {
  let time = 0
  const given = { store, window, policy, count, now: () => time, person: 'one', remember: 'person' }
  const history = createHistory(given)
  const waiting = [...questions]
  let asked = 0
  for (const [number, { from, to }] of sessionsOf(turns).entries()) {
    const thread = history.thread(`session ${number}`)
    let written = from
    // A session is split where a question is asked in the middle of it.
    const stops = [...new Set(waiting.map(({ at }) => at).filter(at => at > from && at < to)), to]
    for (const stop of stops) {
      await ask(written)
      const messages = turns.slice(written, stop)
      if (number % livedEach === 0) for (const message of messages) await live(thread, message)
      else await thread.seedTurns(messages)
      written = stop
    }
  }
  await ask(turns.length)

  async function live(thread, message) {
    time = message.time
    if (message.role !== 'user') return thread.seedTurns([message])
    const before = process.cpuUsage()
    const { turn } = await thread.begin(message)
    const { user, system } = process.cpuUsage(before)
    sum.ms += (user + system) / 1000
    const { tokens, receipt } = await thread.context({ overflow: 'trim' })
    sum.turns += 1
    sum.read += tokens - (receipt.prefix?.tokens ?? 0)
    await turn.complete([])
  }

  /** Asks the questions that are asked before a turn, each in a conversation of its own, which is deleted again. */
  async function ask(at) {
    while (waiting[0] && waiting[0].at <= at) {
      const { text, time: when, evidence } = waiting.shift()
      time = when
      asked += 1
      const name = `question ${asked}`
      const thread = history.thread(name)
      await thread.begin({ role: 'user', content: text })
      const { messages } = await thread.context({ overflow: 'trim' })
      const whole = messages.map(message => message.content).join('\n')
      sum.questions += 1
      sum.all += evidence.every(seq => whole.includes(turns[seq].content.trim())) ? 1 : 0
      await history.delete(name)
    }
  }
}
