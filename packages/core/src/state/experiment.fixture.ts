import { defineState } from './define-state.ts'
import { list, object, text } from './schema.fixture.ts'

/** The states of an agent that runs A/B tests, each read from the results of one tool. */
export const hypothesis = defineState({
  name: 'hypothesis',
  tool: 'generate_hypotheses',
  schema: object({ hypotheses: list(object({ title: text(), url: text() })) }),
  pick: result => result.hypotheses[0],
})

const variantsResult = object({
  variants: list(object({ label: text(), html: text(), jobId: text() })),
})

export const variants = defineState({
  name: 'variants',
  tool: 'generate_variants',
  schema: variantsResult,
  pick: result => result.variants.map(({ label, html }) => ({ label, html })),
})

export const jobIds = defineState({
  name: 'variant job ids',
  tool: 'generate_variants',
  schema: variantsResult,
  pick: result => result.variants.map(variant => variant.jobId),
})

export const experiment = defineState({
  name: 'experiment',
  tool: 'create_experiment',
  schema: object({ experimentId: text(), projectId: text() }),
  belongsTo: result => result.projectId,
})

export const preferences = defineState({
  name: 'preferences',
  tool: 'set_preference',
  schema: object({ key: text(), value: text() }),
  fold: (previous, { key, value }) => ({ ...previous, [key]: value }),
  initial: {} as Readonly<Record<string, string>>,
})

export const someHypothesis = (title = 'A larger button sells more') => ({
  hypotheses: [{ title, url: 'https://shop.example/checkout' }],
})

export const someVariants = (...jobs: readonly string[]) => ({
  variants: jobs.map((jobId, at) => ({
    label: `Variant ${at + 1}`,
    html: `<b>${jobId}</b>`,
    jobId,
  })),
})
