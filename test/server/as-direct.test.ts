import { expect, it } from 'vitest'
import { isLong } from '../is-long.ts'
import { type DirectFormName, directForms } from './direct/forms.ts'
import { runTalks, type TalkOptions } from './direct/talks.ts'

const names = Object.keys(directForms) as DirectFormName[]
const requests = isLong ? 2_000 : 200
const inTalk = 10

/** Talks of each form in turn, until there are so many requests. */
async function runAll(count: number, more: Partial<TalkOptions> = {}) {
  const sums = { requests: 0, streamed: 0, failed: 0 }
  const differences: string[] = []
  for (let seed = 1; sums.requests < count; seed++) {
    const figures = await runTalks(inTalk, { seed, form: names[seed % names.length]!, ...more })
    for (const name of ['requests', 'streamed', 'failed'] as const) sums[name] += figures[name]
    differences.push(...figures.differences)
  }
  console.log(
    `${sums.requests} random requests through us and at the model server itself, in ${names.length} forms ` +
      `(${sums.streamed} streamed, ${sums.failed} refused): ${differences.length} differences`,
  )
  return { ...sums, differences }
}

it('sends the bytes of a request that fits, and gives the answer that the model server itself gives', async () => {
  const { differences, streamed, failed } = await runAll(requests)
  expect(differences).toEqual([])
  expect(streamed).toBeGreaterThan(requests / 4)
  expect(failed).toBeGreaterThan(0)
})

it.each(['chat', 'responses', 'messages', 'ollama'] as const)(
  'would notice a proxy that writes a body of %s anew',
  async form => {
    const between = (body: string) => JSON.stringify(JSON.parse(body))
    const { differences } = await runAll(inTalk, { form, between })
    expect(differences.length).toBeGreaterThan(0)
  },
)
