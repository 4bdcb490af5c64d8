import { spawnSync } from 'node:child_process'
import { cpuOf } from '../proxy/subjects.mjs'

/** Looks for every answer that a client has read to its end: it must be in the log once, behind its question. */
export async function compare(store, talks) {
  let [replies, lost, twice] = [0, 0, 0]
  const examples = []
  for (const [conversation, acknowledged] of talks) {
    const thread = { tenant: 'default', conversation, actor: 'assistant', branch: 'main' }
    const texts = new Map()
    let last = ''
    for await (const { payload } of store.entries(thread)) {
      const { content } = JSON.parse(payload).message
      const text =
        typeof content === 'string' ? content : content.map(part => part.text ?? '').join('')
      const pair = `${last}\n${text}`
      texts.set(pair, (texts.get(pair) ?? 0) + 1)
      last = text
    }
    for (const { text, reply } of acknowledged) {
      replies += 1
      const count = texts.get(`${text}\n${reply}`) ?? 0
      if (count === 0) lost += 1
      if (count > 1) twice += 1
      if (count !== 1 && examples.length < 5) examples.push(`${conversation}: ${text} (${count})`)
    }
  }
  return { replies, lost, twice, examples, check: await store.check() }
}

/** What the clients saw. */
export function costOf(notes, seconds) {
  const answered = notes.filter(({ problem }) => !problem)
  const problems = {}
  for (const { problem } of notes) if (problem) problems[problem] = (problems[problem] ?? 0) + 1
  return {
    seconds: Math.round(seconds),
    answered: answered.length,
    perSecond: Math.round((10 * answered.length) / seconds) / 10,
    firstMs: spread(answered.map(({ first }) => first)),
    wholeMs: spread(answered.map(({ ms }) => ms)),
    longestWithoutAnAnswerMs: longestGap(answered),
    problems,
  }
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b)
  if (sorted.length === 0) return undefined
  const at = share =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))])
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) }
}

function longestGap(answered) {
  const times = answered.map(({ at }) => at).sort((a, b) => a - b)
  return times.reduce((most, time, n) => Math.max(most, n > 0 ? time - times[n - 1] : 0), 0)
}

/** The CPU time of database servers, with that of the processes that they have started; ended ones included. */
export function databaseCpu(pids) {
  let ms = 0
  for (const pid of pids) {
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', pid], { encoding: 'utf8' }).stdout
    for (const one of [pid, ...children.split('\n').filter(Boolean)]) {
      try {
        ms += cpuOf(Number(one))
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  return ms / 1000
}
