import { expect, it } from 'vitest'
import { chatPair } from './chat-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { startPair } from './pair.ts'

/** The largest that model servers take. No number of JavaScript is exactly that. */
const seed = '18446744073709551615'
const long = 'leaf bark root moss '.repeat(20)

it.each([
  ['whole', 0],
  ['cut', 40],
])(
  'a seed that is larger than numbers are exact arrives as it was written, in a list that is sent %s',
  async (_, turns) => {
    for (const pair of [chatPair, ollamaPair]) {
      const { ask, got } = await startPair(pair, pair.stream, 4096)
      const list = [...Array(turns).keys()].flatMap(at => pair.turn(at, long))
      const asked = pair.question(`What about "seed": ${seed}?`)
      const setting = pair === ollamaPair ? { options: { seed: 0 } } : { seed: 0 }
      const body = JSON.stringify({ ...setting, model: 'm', [pair.list]: [...list, asked] })
      const response = await ask(body.replace('"seed":0', `"seed": ${seed}`))
      expect([pair.name, response.status, await response.text()]).toEqual([
        pair.name,
        200,
        expect.any(String),
      ])
      expect(got().at(-1)!.text).toMatch(new RegExp(`"seed": ?${seed}\\b`))
    }
  },
)
