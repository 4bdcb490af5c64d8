import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  balanced,
  createFitter,
  fit,
  type MessageLike,
  type Policy,
  stable,
  thorough,
} from 'throughline'
import { describe, expect, it } from 'vitest'

/**
 * A context is a function of the log and the options: computed turn by turn, from a cold start, and by another
 * process, every call of a replay has the same bytes.
 */
const sample = join(import.meta.dirname, '../examples/project-chat.json')
const messages = JSON.parse(readFileSync(sample, 'utf8')) as MessageLike[]

/** A model is called after a user message and after the last result of a round. */
const calls = messages.flatMap(({ role }, at) => {
  const isCall = role === 'user' || (role === 'tool' && messages[at + 1]?.role !== 'tool')
  return isCall ? [at + 1] : []
})

/** The whole replay from a cold start takes minutes: `npm run test:long` does it, `npm test` does a part. */
const step = process.env.THROUGHLINE_LONG ? 1 : 47

const hash = (context: { messages: readonly object[] }) =>
  createHash('sha256').update(JSON.stringify(context.messages)).digest('hex').slice(0, 16)

const policies: Readonly<Record<string, Policy>> = {
  stable: stable(),
  balanced: balanced(),
  thorough: thorough(),
}

describe.each(Object.entries(policies))('%s', (name, policy) => {
  const options = { window: 2048, reserve: 256, policy }
  const fitter = createFitter(options)
  const incremental = new Map<number, string>()
  for (const [at, message] of messages.entries()) {
    fitter.append(message)
    if (calls.includes(at + 1)) incremental.set(at + 1, hash(fitter.context()))
  }

  it('recalls and cuts in this replay', () => {
    expect(calls.length).toBeGreaterThan(200)
    const { receipt } = fitter.context()
    expect(receipt.counts.omitted + receipt.counts.digested).toBeGreaterThan(300)
  })

  it(`a cold start gives the same (every ${step}. call)`, () => {
    for (let at = 0; at < calls.length; at += step) {
      const cold = structuredClone(messages.slice(0, calls[at]))
      expect([calls[at], hash(fit(cold, options))]).toEqual([
        calls[at],
        incremental.get(calls[at]!),
      ])
    }
  })

  it('a list that grows gives the same', () => {
    for (const length of calls) {
      expect([length, hash(fit(messages.slice(0, length), options))]).toEqual([
        length,
        incremental.get(length),
      ])
    }
  })

  const others = process.env.THROUGHLINE_LONG ? calls : calls.filter((_, at) => at % 12 === 11)
  it(`another process gives the same (${others.length} calls)`, () => {
    const script = `
      import { createHash } from 'node:crypto'
      import { readFileSync } from 'node:fs'
      const { fit, ${name} } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)})
      const messages = JSON.parse(readFileSync(${JSON.stringify(sample)}, 'utf8'))
      const out = {}
      // From the end to the beginning, so that nothing can be carried over in order.
      for (const length of ${JSON.stringify(others.toReversed())}) {
        const { messages: sent } = fit(messages.slice(0, length), { window: 2048, reserve: 256, policy: ${name}() })
        out[length] = createHash('sha256').update(JSON.stringify(sent)).digest('hex').slice(0, 16)
      }
      console.log(JSON.stringify(out))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(
      Object.fromEntries(others.map(length => [length, incremental.get(length)])),
    )
  })
})
