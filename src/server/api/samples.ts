import { z } from 'zod'
import { importSample, underFreeName } from '../samples/import-sample.ts'
import { readStandPlan } from '../samples/lemonade-stand.ts'
import { startExperiment, summary } from './experiments.ts'
import { defineRoute } from './route.ts'
import { name } from './schemas.ts'
import { experimentsOf, toSummary } from './watch-experiment.ts'

const isNew = z.boolean().describe('false if it was there already')

/** Samples for a new server, which has no conversations yet. A sample that is there already is opened, not made again. */
export const sampleRoutes = [
  defineRoute('post', '/samples/conversation', {
    scope: 'chat',
    summary: 'Makes the sample conversation, a project chat of 168 turns, if it is not there.',
    answer: z.object({ conversation: name, isNew }),
    handle: ({ log: { history } }) => importSample(history),
  }),
  defineRoute('post', '/samples/experiment', {
    scope: 'admin',
    summary: 'Starts the sample experiment, a lemonade stand that needs no model, if it is not there.',
    answer: summary.extend({ isNew }),
    handle: call =>
      underFreeName('sample-lemonade-stand', async id => {
        const [info] = await call.log.history.conversations({ only: id, limit: 1 })
        const shown = info
          ? await experimentsOf(call).show(id)
          : await startExperiment(call, await readStandPlan(), id)
        return { ...toSummary(shown), isNew: !info }
      }),
  }),
]
