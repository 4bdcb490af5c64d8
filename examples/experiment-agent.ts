/**
 * An agent that runs A/B tests: hypotheses, variants, a preview, and after the user has confirmed, the experiment. The
 * server keeps no state. Each tool finds what earlier ones made in the conversation itself, so every step here is
 * answered by a server that has just been started.
 *
 * Runs with the built-in reader; with a model of your own: `--ollama llama3.2`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory, defineState } from 'throughline'
import { createChat, defineTool } from 'throughline/chat'
import { ollama, reader } from 'throughline/models'
import { getContext, requireState } from 'throughline/request'
import { sqliteStore } from 'throughline/stores/sqlite'
import { z } from 'zod'

const at = process.argv.indexOf('--ollama')
const name = at < 0 ? undefined : process.argv[at + 1]
const model = name ? ollama({ model: name, window: 4096 }) : reader({ window: 4096 })

/** The states of the conversation, found by the name of the tool that makes them, never by their shape. */
const hypothesis = defineState({
  name: 'hypothesis',
  tool: 'generate_hypotheses',
  schema: z.object({ hypotheses: z.array(z.object({ title: z.string(), url: z.string() })) }),
  pick: result => result.hypotheses[0],
})
const variants = defineState({
  name: 'variants',
  tool: 'generate_variants',
  schema: z.object({ variants: z.array(z.object({ label: z.string(), jobId: z.string() })) }),
  pick: result => result.variants,
})
const experiment = defineState({
  name: 'experiment',
  tool: 'create_experiment',
  schema: z.object({ experimentId: z.string(), projectId: z.string() }),
  belongsTo: result => result.projectId,
})

const nothing = z.object({})
const tools = [
  defineTool({
    name: 'generate_hypotheses',
    description: 'Finds what could be improved on the page with this address.',
    input: z.object({ url: z.string() }),
    run: ({ url }) => ({ hypotheses: [{ title: 'A larger button sells more', url }] }),
  }),
  defineTool({
    name: 'generate_variants',
    description: 'Makes variants of the page for the hypothesis.',
    input: nothing,
    run: () => {
      const { title } = requireState(hypothesis)
      return { variants: ['A', 'B'].map(label => ({ label: `${title} (${label})`, jobId: `job-${label}` })) }
    },
  }),
  defineTool({
    name: 'preview_experiment',
    description: 'Shows what would be created.',
    input: nothing,
    run: () => ({
      url: requireState(hypothesis).url,
      variants: requireState(variants).map(({ label }) => ({ label })),
    }),
  }),
  defineTool({
    name: 'create_experiment',
    description: 'Creates the experiment, when the user has confirmed it.',
    input: nothing,
    run: () => ({
      experimentId: `exp-${requireState(variants).length}`,
      jobs: requireState(variants).map(({ jobId }) => jobId),
      projectId: getContext().projectId,
    }),
  }),
]

const folder = mkdtempSync(join(tmpdir(), 'throughline-experiment-agent-'))
const open = () => createHistory({ store: sqliteStore({ path: join(folder, 'log.db') }) })

/** A server that answers one message and then ends. */
async function answer(text: string): Promise<void> {
  const history = open()
  const chat = createChat({ history, model, tools, system: 'You run A/B tests with the tools.' })
  console.log(`> ${text}`)
  for await (const part of chat.send(text, { conversation: 'shop', projectId: 'p1' })) {
    if (part.type === 'tool-result') console.log(`  ${part.name}: ${part.text}`)
    if (part.type === 'error') console.log(`  ${part.error.message}`)
  }
  await history.close()
}

await answer('Now generate the variants.')
await answer('Generate the hypotheses for https://shop.example/checkout')
await answer('Now generate the variants.')
await answer('Preview the experiment, please.')
await answer('Yes, create the experiment.')

const history = open()
const { value } = await history.thread('shop').state(experiment, { projectId: 'p1' })
console.log(`The log says: ${value?.experimentId ?? 'no experiment'}`)
await history.close()
rmSync(folder, { recursive: true })
