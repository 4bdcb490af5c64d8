/**
 * Talks to a server that keeps notes: `throughline serve --notes system` must run.
 *
 * `--server http://127.0.0.1:4170`, `--model llama3.2`, `--conversation site`; what remains are the sentences to say.
 */
import { parseArgs } from 'node:util'
import { say } from './client.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string', default: 'http://127.0.0.1:4170' },
    model: { type: 'string', default: 'llama3.2' },
    conversation: { type: 'string', default: 'site' },
  },
})
const sentences =
  positionals.length > 0
    ? positionals
    : ['Add a footer to the page.', 'What did you change so far?']
for (const sentence of sentences) {
  const { text, tokens } = await say(values.server, values.conversation, sentence, values.model)
  console.log(`${sentence} → ${text} (${tokens} tokens were sent)`)
}
