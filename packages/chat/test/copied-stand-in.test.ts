import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

const standIn = '[Not the result: #4 (184 tokens) is left out here]'

/** A chat whose model writes this text into a file, then says what the tool answered. */
async function write(text: string) {
  const files: string[] = []
  const tool = defineTool({
    name: 'write_file',
    description: 'Writes the file.',
    input: z.object({ text: z.string() }),
    run({ text }) {
      files.push(text)
      return 'Written.'
    },
  })
  const model = rules(({ messages }) => {
    const last = messages.at(-1)!
    return last.role === 'tool'
      ? String(last.content)
      : { calls: [{ name: 'write_file', arguments: { text } }] }
  })
  const chat = createChat({
    history: createHistory({ store: memoryStore() }),
    model,
    tools: [tool],
  })
  const warnings: string[] = []
  let said = ''
  for await (const part of chat.send('Write it.', { conversation: 'a' }))
    if (part.type === 'warning') warnings.push(part.code)
    else if (part.type === 'text-delta') said += part.text
  return { files, warnings, said }
}

it('runs no tool with a stand-in for a text, and tells the model why', async () => {
  const { files, warnings, said } = await write(`<h1>Menu</h1>\n${standIn}`)
  expect(files).toEqual([])
  expect(said).toContain(`the arguments hold ${standIn}`)
  // The answer names it, too.
  expect(warnings).toEqual(['stand_in_copied', 'stand_in_copied'])
})

it('runs it with any other text', async () => {
  expect(await write('[…] <h1>Menu</h1>')).toEqual({
    files: ['[…] <h1>Menu</h1>'],
    warnings: [],
    said: 'Written.',
  })
})
