import { defineState } from '@throughline/core/state'
import { currentState, getContext, rememberState, requireState } from '@throughline/history/request'
import { z } from 'zod'
import { defineTool, type Tool } from '../src/index.ts'

/** The tools of an agent that runs A/B tests. They keep nothing: what earlier ones made is in the conversation. */
const nothing = z.object({})

const hypotheses = z.object({
  hypotheses: z.array(z.object({ title: z.string(), url: z.string() })),
})
export const hypothesis = defineState({
  name: 'hypothesis',
  tool: 'generate_hypotheses',
  schema: hypotheses,
  pick: result => result.hypotheses[0],
})

const variantsResult = z.object({
  variants: z.array(z.object({ label: z.string(), jobId: z.string() })),
})
export const variants = defineState({
  name: 'variants',
  tool: 'generate_variants',
  schema: variantsResult,
  pick: result => result.variants,
})

const created = z.object({ experimentId: z.string(), projectId: z.string() })
export const experiment = defineState({
  name: 'experiment',
  tool: 'create_experiment',
  schema: created,
  belongsTo: result => result.projectId,
})

export interface ExperimentOptions {
  /** Called by `generate_variants` before it answers: a process may be killed there. */
  readonly beforeVariants?: () => Promise<void>
}

export function experimentTools({
  beforeVariants = async () => {},
}: ExperimentOptions = {}): readonly Tool[] {
  return [
    defineTool({
      name: 'generate_hypotheses',
      description: 'Finds what could be improved on a page.',
      input: z.object({ url: z.string() }),
      run: ({ url }) => {
        const result = { hypotheses: [{ title: `A larger button on ${url}`, url }] }
        rememberState(hypothesis, result.hypotheses[0]!)
        return result
      },
    }),
    defineTool({
      name: 'generate_variants',
      description: 'Makes variants of the page for the hypothesis.',
      input: nothing,
      run: async () => {
        const { title } = requireState(hypothesis)
        await beforeVariants()
        return {
          variants: ['A', 'B'].map(label => ({ label, jobId: `job ${label} for ${title}` })),
        }
      },
    }),
    defineTool({
      name: 'preview_experiment',
      description: 'Shows what would be created.',
      input: nothing,
      // Has the shape of variants, but is something else.
      run: () => ({
        variants: requireState(variants).map(({ label }) => ({ label, jobId: 'none yet' })),
      }),
    }),
    defineTool({
      name: 'create_experiment',
      description: 'Creates the experiment.',
      input: nothing,
      run: () => ({
        experimentId: `exp on ${requireState(hypothesis).title}`,
        url: requireState(hypothesis).url,
        jobs: requireState(variants).map(({ jobId }) => jobId),
        projectId: getContext().projectId,
      }),
    }),
    defineTool({
      name: 'show_status',
      description: 'How the experiment is doing.',
      input: nothing,
      run: () => `${currentState(experiment)?.experimentId ?? 'nothing'} is running`,
    }),
  ]
}

/** What a user writes, step by step, as the reader takes it. The confirmation is a message of its own. */
export const steps = [
  'call generate_hypotheses with {"url":"https://shop.example/checkout"}',
  'Now call generate_variants.',
  'Please call preview_experiment.',
  'Yes, call create_experiment.',
]

/** The final state, however the steps were run. */
export const outcome = {
  experimentId: 'exp on A larger button on https://shop.example/checkout',
  url: 'https://shop.example/checkout',
  jobs: ['A', 'B'].map(
    label => `job ${label} for A larger button on https://shop.example/checkout`,
  ),
  projectId: 'p1',
}
