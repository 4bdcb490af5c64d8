/**
 * What the agent knows. Nothing of it is kept by the server: each state is found in the conversation, by the name of the
 * tool whose results hold it, never by the shape of a result.
 */
import { defineState } from 'throughline/state'
import { z } from 'zod'

const hypothesis = z.object({ title: z.string(), now: z.string(), instead: z.array(z.string()) })
const variant = z.object({ label: z.string(), text: z.string() })
const job = variant.extend({ jobId: z.string() })

export const hypotheses = defineState({
  name: 'hypothesis',
  tool: 'generate_hypotheses',
  schema: z.object({ url: z.string(), hypotheses: z.array(hypothesis).min(1) }),
})

/** The variants, with the ids of the jobs that made them. Ids in a client's history are checked: `belongsTo`. */
export const variants = defineState({
  name: 'variants',
  tool: 'generate_variants',
  schema: z.object({
    projectId: z.string(),
    url: z.string(),
    title: z.string(),
    variants: z.array(job),
  }),
  belongsTo: result => result.projectId,
})

/** A preview has variants too, without jobs: it is told from the real ones by the tool's name. */
export const preview = defineState({
  name: 'preview',
  tool: 'preview_experiment',
  schema: z.object({
    projectId: z.string(),
    url: z.string(),
    title: z.string(),
    variants: z.array(variant.extend({ percent: z.number() })),
    jobIds: z.array(z.string()),
    /** The experiment that was created of these variants before. */
    createdId: z.string().optional(),
  }),
  belongsTo: result => result.projectId,
})

export const experiment = defineState({
  name: 'experiment',
  tool: 'create_experiment',
  schema: z.object({
    projectId: z.string(),
    experimentId: z.string(),
    url: z.string(),
    jobIds: z.array(z.string()),
    status: z.string(),
  }),
  belongsTo: result => result.projectId,
})
