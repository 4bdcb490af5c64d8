import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { plainPolicies } from '@throughline/core/context'
import { apiBase } from '@throughline/server/api/routes'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { programRuns } from '@throughline/test-tools/program-runs'
import { replayRun } from '@throughline/test-tools/replay-run'
import { ContextOverflowError, type FitOptions, fit, type MessageLike } from 'throughline'
import { describe, expect, it } from 'vitest'

/**
 * What must stay the same when the house is rebuilt: contexts, bodies to upstreams and answers of the API, each by a hash.
 *
 *   TEST_CORPUS=FILE npx vitest run test/corpus.test.ts
 *
 * The first run writes the file, a later one compares with it. With THROUGHLINE_DATA the public conversations are in it too.
 */
const file = process.env.TEST_CORPUS
const data = process.env.THROUGHLINE_DATA
if (!file) console.info('Skipped: the corpus, which TEST_CORPUS=FILE records and compares')

const recorded: Record<string, string> =
  file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
const hashes: Record<string, string> = {}

/** Ids and times of this run are no part of what must stay. */
function record(name: string, value: unknown): void {
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b1[78]\d{11}\b/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d+(\.\d+)? ms\b/g, 'MS')
  hashes[name] = createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function readChats(): readonly (readonly [string, readonly MessageLike[]])[] {
  const sample = readFileSync(join(import.meta.dirname, '../examples/project-chat.json'), 'utf8')
  const sets = data ? ['locomo', 'realmem', 'beam100K', 'swe-runs', 'tau-airline'] : []
  const chats = sets.flatMap(set =>
    gunzipSync(readFileSync(join(data!, `${set}.jsonl.gz`)))
      .toString()
      .trim()
      .split('\n')
      .slice(0, 4)
      .map((line, at) => {
        const { messages } = JSON.parse(line) as { messages: (MessageLike & { text?: string })[] }
        const toMessage = ({ text, ...one }: MessageLike & { text?: string }) =>
          text === undefined ? one : ({ role: one.role, content: text } as MessageLike)
        return [`${set} ${at}`, messages.map(toMessage)] as const
      }),
  )
  return [['sample', JSON.parse(sample) as MessageLike[]], ...chats]
}

/** A context that has no room is refused: then the words of the refusal stay the same. */
function fitOrFault(past: readonly MessageLike[], options: FitOptions): unknown {
  try {
    return fit(past, options)
  } catch (error) {
    if (error instanceof ContextOverflowError) return error.message
    throw error
  }
}

describe.runIf(file)('the corpus', () => {
  it('has contexts of every policy', () => {
    for (const [name, chat] of readChats())
      for (const [policy, value] of Object.entries(plainPolicies))
        for (const window of [2048, 8192])
          for (const share of [0.3, 0.7, 1]) {
            const past = chat.slice(0, Math.ceil(chat.length * share))
            const options = { window, reserve: 256, policy: value, overflow: 'trim' } as const
            record(`context ${name} ${policy} ${window} ${share}`, fitOrFault(past, options))
          }
    expect(Object.keys(hashes).length).toBeGreaterThan(0)
  })

  it.each(programRuns)('has the bodies of $name', async run => {
    for (const [at, { sent, answer }] of (await replayRun(run, 24_576)).entries()) {
      record(`body ${run.name} ${at}`, sent)
      record(`answer ${run.name} ${at}`, answer)
    }
    expect(hashes).toHaveProperty([`body ${run.name} 0`])
  })

  it('has the answers of the API', async () => {
    const { url, api } = await startWithExperiments()
    await api.post('/samples/conversation')
    await api.post('/samples/experiment')
    const conversation = 'sample-toad-patrol'
    await api.say(conversation, 'What is the grid reference for the fence?')
    const { body } = await api.get(`/conversations/${conversation}/calls`)
    const experimentNow = async () => (await api.get('/experiments')).body.experiments[0]
    await expect.poll(async () => (await experimentNow()).status).toBe('COMPLETED')
    const { id: experiment } = await experimentNow()
    const values: Readonly<Record<string, string>> = {
      ...{ conversation, entry: '21', call: body.calls[0].id, experiment, role: 'owner' },
    }
    const query = '?q=pond&at=500&window=2048&reserve=256&limit=20&policy=stable&a=at:300&b=at:400'
    for (const { method, path } of api.routes) {
      if (method !== 'get' || /events|\/keys|replies|\/server$/.test(path)) continue
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(values[name] ?? ''),
      )
      for (const asked of [filled, filled + query]) {
        const answer = await fetch(`${url}${apiBase}${asked}`)
        record(
          `api ${path} ${asked === filled ? 'plain' : 'asked'}`,
          `${answer.status} ${await answer.text()}`,
        )
      }
    }
  })

  it('is what it was', () => {
    if (Object.keys(recorded).length === 0) writeFileSync(file!, JSON.stringify(hashes, null, 1))
    expect(hashes).toEqual(Object.keys(recorded).length === 0 ? hashes : recorded)
  })
})
