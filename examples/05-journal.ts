/**
 * An agent with one request and sixty rounds of tools, in a small window: the journal stands for what was cut.
 *
 * `npm run example 05-journal`
 */
import { createFitter, recall } from 'throughline'

const fitter = createFitter({ window: 1024, policy: recall({ digests: 1 / 6 }) })
fitter.append({
  role: 'user',
  content: 'Read all sixty log files of the harbour and tell me where the pump failed.',
})

for (let file = 1; file <= 60; file++) {
  const path = `/logs/day-${file}.txt`
  const content =
    file === 17
      ? 'pump 2 failed at 04:10, restarted by hand'
      : `day ${file}: all pumps fine, tide ${file % 7}`
  fitter.append(
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'read_file', arguments: { path } } }],
    },
    { role: 'tool', tool_name: 'read_file', content },
  )
  const { receipt } = fitter.context()
  if (file % 20 === 0) {
    const reused = Math.round((receipt.prefix?.share ?? 0) * 100)
    console.log(`after ${file} rounds: ${receipt.tokens} tokens, ${reused} % as in the call before`)
  }
}

const { messages } = fitter.context()
const journal = messages.find(({ content }) => String(content).startsWith('[Actions so far'))
console.log(String(journal?.content))
