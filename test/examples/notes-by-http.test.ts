import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { parseMessage } from 'throughline'
import { rules } from 'throughline/models'
import { expect, it } from 'vitest'
import { say } from '../../examples/notes-by-http/client.ts'

it('is told what it noted, by a client that sends only what is new and sees no note', async () => {
  const prompts: string[] = []
  const model = rules(
    ({ messages }) => {
      const read = messages.map((message, seq) => parseMessage(message, seq))
      const prompt = read.map(({ text }) => text).join('\n')
      prompts.push(prompt)
      const opening = /\[NOTE TO SELF[^:\n]{0,40}:/.exec(prompt)?.[0] ?? '[NOTE TO SELF:'
      return prompt.includes('footer.html')
        ? 'I know of the footer.'
        : `The footer is there.\n\n${opening} It stands in footer.html.]`
    },
    { window: 4096 },
  )
  const upstream = { ...readerUpstream(), model: () => model }
  const { url, history } = await startServer({ upstream, notes: { place: 'system' } })
  expect((await say(url, 'site', 'Add a footer.')).text).toBe('The footer is there.')
  expect((await say(url, 'site', 'What did you change so far?')).text).toBe('I know of the footer.')
  expect(prompts.at(-1)).toContain('RECENT NOTES TO SELF:\nIt stands in footer.html.')
  expect(await history.thread('site').notes()).toEqual(['It stands in footer.html.'])
})
