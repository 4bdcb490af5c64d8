/** The five tools. Each finds what earlier ones made in the conversation of the request. */
import { createHash, randomUUID } from 'node:crypto'
import { parseMessage } from 'throughline'
import { defineTool } from 'throughline/chat'
import { currentState, getContext, requireState } from 'throughline/request'
import { z } from 'zod'
import { ideasFor } from './ideas.ts'
import { experiment, hypotheses, preview, variants } from './states.ts'
import { isWholeYes } from './yes.ts'

const nothing = z.object({})

/** The project of the request. Without one nothing may be made. */
function projectOf(): string {
  const { projectId } = getContext()
  if (projectId === undefined) throw new Error('This request has no project.')
  return projectId
}

const generateHypotheses = defineTool({
  name: 'generate_hypotheses',
  description: 'Finds what could be improved on the page with this address.',
  input: z.object({ url: z.url({ protocol: /^https?$/ }) }),
  run: ({ url }) => ({ url, hypotheses: ideasFor(url) }),
})

const generateVariants = defineTool({
  name: 'generate_variants',
  description:
    'Makes variants of the page for one of the hypotheses: the first, unless a number is given.',
  input: z.object({ hypothesis: z.int().min(1).optional() }),
  run: ({ hypothesis = 1 }) => {
    const { url, hypotheses: all } = requireState(hypotheses)
    const chosen = all[hypothesis - 1]
    if (!chosen)
      throw new Error(`There are ${all.length} hypotheses: choose one from 1 to ${all.length}.`)
    const texts = [chosen.now, ...chosen.instead]
    return {
      projectId: projectOf(),
      url,
      title: chosen.title,
      variants: texts.map((text, n) => ({
        label: n === 0 ? 'As it is' : `Variant ${'ABC'[n - 1]}`,
        text,
        // As a rendering service would give it: nobody can work it out again, so it must be found in the conversation.
        jobId: `job-${randomUUID().slice(0, 8)}`,
      })),
    }
  },
})

const previewExperiment = defineTool({
  name: 'preview_experiment',
  description:
    'Shows what would be created. Creates nothing. Ask the user to confirm it afterwards.',
  input: nothing,
  run: () => {
    const { projectId, url, title, variants: made } = requireState(variants)
    const share = Math.floor(100 / made.length)
    const jobIds = made.map(({ jobId }) => jobId)
    const created = currentState(experiment)
    const percent = (n: number) => (n === 0 ? 100 - share * (made.length - 1) : share)
    return {
      ...{ projectId, url, title },
      variants: made.map(({ label, text }, n) => ({ label, text, percent: percent(n) })),
      jobIds,
      ...(created?.jobIds.join() === jobIds.join() && { createdId: created.experimentId }),
    }
  },
})

const createExperiment = defineTool({
  name: 'create_experiment',
  description:
    'Creates the experiment of the last preview, when the user has confirmed it in a later message.',
  input: nothing,
  run: () => {
    const jobIds = requireState(variants).variants.map(({ jobId }) => jobId)
    // Only a preview of an earlier turn counts: one that the user has seen, and said something about.
    const shown = requireState(preview, { fromEarlierTurn: true, missing: notConfirmed })
    if (shown.jobIds.join() !== jobIds.join()) throw new Error(otherVariants)
    // A model may well take a question for a yes: the words of the user decide.
    if (!isWholeYes(newestRequest())) throw new Error(noYes)
    const projectId = projectOf()
    const before = currentState(experiment)
    if (before?.jobIds.join() === jobIds.join()) return { ...before, status: 'was created before' }
    // Your own database would be written to here. The id comes from the jobs: the same again is the same experiment.
    const experimentId = `exp-${createHash('sha256').update(jobIds.join()).digest('hex').slice(0, 8)}`
    return { projectId, experimentId, url: shown.url, jobIds, status: 'running' }
  },
})

const getExperiment = defineTool({
  name: 'get_experiment',
  description:
    'Says what the conversation has: ideas, preview, the id of the experiment. Changes nothing.',
  input: nothing,
  run: () => {
    const all = currentState(hypotheses)
    const made = currentState(variants)
    const shown = currentState(preview)
    const created = currentState(experiment)
    return {
      url: all?.url ?? null,
      ideas: all?.hypotheses.map(({ title }) => title) ?? [],
      chosen: made?.title ?? null,
      isPreviewShown:
        shown !== undefined &&
        shown.jobIds.join() === made?.variants.map(({ jobId }) => jobId).join(),
      experimentId: created?.experimentId ?? null,
      experimentUrl: created?.url ?? null,
    }
  },
})

/** The newest message of the user, from the whole log. */
function newestRequest(): string {
  const newest = getContext()
    .conversation.map(parseMessage)
    .findLast(({ role }) => role === 'user')
  return newest?.text ?? ''
}

const noYes =
  'The newest message of the user is no plain yes to the preview, so nothing was created. Ask whether to create it; "yes, create it" is a plain yes.'
const notConfirmed =
  'The user has not confirmed a preview yet. Call preview_experiment, ask, and create the experiment only after the user has said yes in a message of their own.'
const otherVariants =
  'The variants were made anew after the preview. Call preview_experiment again, and ask the user once more.'

export const tools = [
  generateHypotheses,
  generateVariants,
  previewExperiment,
  createExperiment,
  getExperiment,
]
