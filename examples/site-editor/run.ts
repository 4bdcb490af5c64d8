/** Runs the site editor: see README.md, or `--help`. */
import { parseArgs } from 'node:util'
import { ollama } from 'throughline/models'
import { editorRules } from './editor-rules.ts'
import { start } from './start.ts'

const help = `A chat that edits a small site.

  --ollama MODEL   answer with a model of Ollama; without it, a few rules answer
  --window N       the tokens that the model can take
  --data FOLDER    where the log and the site are kept (site-editor-data)
  --port N         the port of the page (4310); the preview has the next one; 0: any
  --slow MS        a pause before every tool, and a tenth of it before every word of the rules: to try "Stop", or a crash
  --memory         keeps the log in memory, where a crash loses it`

const { values } = parseArgs({
  options: {
    ollama: { type: 'string' },
    window: { type: 'string' },
    data: { type: 'string', default: 'site-editor-data' },
    port: { type: 'string', default: '4310' },
    slow: { type: 'string', default: '0' },
    memory: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) console.log(help)
else {
  const [port, slowMs] = [toNumber('port'), toNumber('slow')]
  const window = values.window === undefined ? {} : { window: toNumber('window') }
  const model = values.ollama
    ? ollama({ model: values.ollama, ...window })
    : editorRules({ ...window, delayMs: 25 + slowMs / 10 })
  const previewPort = port === 0 ? 0 : port + 1
  const { data, memory: isInMemory } = values
  const editor = await start({ data, model, port, previewPort, slowMs, isInMemory }).catch(
    error => {
      console.error(`The site editor cannot start: ${error.message}`)
      process.exit(1)
    },
  )
  console.log(`The site editor is at ${editor.url} (answers: ${model.name}; files: ${data})`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void editor.stop().then(() => process.exit()))
}

function toNumber(flag: 'port' | 'slow' | 'window'): number {
  const text = values[flag] ?? ''
  if (/^\d{1,6}$/.test(text)) return Number(text)
  console.error(`--${flag} takes a whole number, not ${JSON.stringify(text.slice(0, 60))}.`)
  process.exit(1)
}
