import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUpstream, type UpstreamScript } from '@throughline/test-tools/scripted-upstream'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'answers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = 'Heron'
const talk = Array.from({ length: 150 }, (_, n) => [
  {
    role: 'user',
    kind: 'turn',
    sess: 0,
    text: `The lock of berth ${n} was oiled, and its lamp was mended.`,
  },
  { role: 'assistant', kind: 'turn', sess: 0, text: `Berth ${n} is oiled and mended.` },
]).flat()
const fact = {
  role: 'user',
  kind: 'turn',
  sess: 0,
  text: `My sister Livia has named her kayak ${key}.`,
}
const messages = [
  ...talk.slice(0, 10),
  fact,
  { ...talk[1], text: 'A fine name.' },
  ...talk.slice(10),
]
const asked = {
  q: 'What is the name of the kayak of my sister Livia?',
  cat: 'fact',
  at: messages.length,
}
const questions = [
  { ...asked, evidence: [10], answer: key },
  { ...asked, evidence: [10] },
]
writeFileSync(
  join(folder, 'boats.jsonl'),
  `${JSON.stringify({ id: 'boats', messages, questions })}\n`,
)

const reply = (content: string) => ({ status: 200, body: { choices: [{ message: { content } }] } })

/** A model that says what its context says, and a grader that compares with the key. */
const script: UpstreamScript = ({ text }) => {
  if (text.includes('Grade a reply'))
    return reply(text.includes(`Reply: ${key}`) ? 'Grade: 1' : '0')
  return reply(text.includes(`kayak ${key}`) ? key : 'The conversation does not say it.')
}

const bench = new URL('../bench/answers.mjs', import.meta.url).pathname

async function answers(model: UpstreamScript, ...options: string[]) {
  const upstream = await startUpstream(model)
  const args = [
    bench,
    '--data',
    folder,
    '--sets',
    'boats',
    '--window',
    '2048',
    '--json',
    ...options,
  ]
  try {
    return await new Promise<{
      code: unknown
      out: string
      error: string
      paths: readonly string[]
    }>(resolve =>
      execFile(
        'node',
        [...args, '--upstream', upstream.url, '--model', 'm'],
        (error, out, stderr) =>
          resolve({
            code: error?.code ?? 0,
            out,
            error: stderr,
            paths: upstream.requests.map(({ path }) => path),
          }),
      ),
    )
  } finally {
    await upstream.close()
  }
}

describe('bench answers', () => {
  it('asks a model with the context of each policy, and grades by the key', async () => {
    const file = join(folder, 'out.jsonl')
    const { out, paths } = await answers(script, '--policies', 'last-N,default', '--out', file)
    expect(JSON.parse(out)).toMatchObject([
      { policy: 'last-N', right: 0, graded: 1, failed: 0 },
      { policy: 'default', right: 1, graded: 1, failed: 0 },
    ])
    // The question without a key is not asked.
    expect(paths).toEqual(Array.from({ length: 4 }, () => '/v1/chat/completions'))
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
  })

  it('says what the model server answered where nothing could be graded', async () => {
    const { code, error } = await answers(
      () => ({ status: 503, body: { error: 'busy' } }),
      '--policies',
      'default',
    )
    expect(code).toBe(1)
    expect(error).toContain('no answer was graded')
    expect(error).toContain('answered 503')
  })

  it('refuses a policy that there is not', async () => {
    const { code, error } = await answers(script, '--policies', 'best')
    expect(code).toBe(2)
    expect(error).toContain('there is no policy "best": use last-N,')
  })
})
