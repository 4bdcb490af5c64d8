import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it, vi } from 'vitest'

const folder = join(import.meta.dirname, '../examples')
const examples = [
  ...readdirSync(folder).filter(name => name.endsWith('.ts')),
  'lemonade-stand/run.ts',
  'own-store/run.ts',
]

/** What each example must print: a program that runs and says nothing of note proves little. */
const expected: Readonly<Record<string, RegExp>> = {
  '01-fit.ts': /306 messages became .*asked for: berth/s,
  '02-memory.ts':
    /spongebob .*the answer is omitted.*balanced .*the answer is recalled \(asked for: grid, reference/s,
  '04-notes.ts': /shown: The footer is in place\.\nkept: {2}footer\.html.*QUOTED NOTE TO SELF/s,
  '05-journal.ts':
    /after 60 rounds: .*\[Actions so far in this turn:\]\n.*\[read_file\] \/logs\/day-/s,
  '06-state.ts':
    /^No hypothesis available\. Please generate hypotheses first using the generate_hypotheses tool\.\nExperiment on "Larger button"\nExperiment on "Larger button"$/,
  '07-log.ts':
    /2 messages were sent\n4 messages were sent.*--- ASSISTANT ---.*2 calls, notes: answered: Berth 12 is yours/s,
  '08-ai-sdk.ts': /Pump 2 failed on day 17\.\n61 calls, the largest \d+ tokens/,
  '09-chat.ts':
    /find_berth gave 12\ncall find_berth .* → find_berth said: "12"\..*What is the harbour code\? → You said: "The harbour code is 4471"/s,
  '10-own-orchestrator.ts':
    /buyer, .*40 coins.*\n {2}64 messages in its own thread\nseller, .*25 coins.*\n {2}34 messages in its own thread$/,
  'lemonade-stand/run.ts':
    /^step 1: sunny, 60 cups wanted, cash 210, loan 100\n.*COMPLETED after 14 steps: Net worth has reached 1000$/s,
  'own-store/run.ts':
    /^every case holds: true\n.*What is the harbour code\? → You said: "The harbour code is 4471"$/s,
  '03-own-policy.ts': /ok: gives nothing for nothing.*omitted: too short to matter/s,
}

if (!isLong)
  console.info('Skipped: every case of a store on the example of one, only in the long run')

describe('examples', () => {
  it.each(examples.filter(name => isLong || name !== 'own-store/run.ts'))('%s runs', async name => {
    const printed: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((...values) => {
      printed.push(
        values.map(value => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '),
      )
    })
    await import(join(folder, name))
    log.mockRestore()
    expect(printed.join('\n')).toMatch(expected[name]!)
  })

  it.each(examples)('%s is short', name => {
    // The numbered ones show one thing each; the others are whole applications.
    const most = /^\d/.test(name) ? 60 : 120
    expect(readFileSync(join(folder, name), 'utf8').split('\n').length).toBeLessThanOrEqual(most)
  })
})
