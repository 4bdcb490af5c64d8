import type { CommandPlug } from '@throughline/server/cli/command-plug'
import type { Sample } from './sample.ts'

/** Experiments as a part of the command line, and of the server that it starts. */
export const experimentPlug = (sample: Sample): CommandPlug => ({
  commands: {
    experiment: [
      'run an experiment plan, and look after it: run, resume, list, show, history, pause, stop',
      async () => (await import('../command/experiment-command.ts')).experimentCommand,
    ],
  },
  async serve() {
    const { text } = await import('@throughline/server/config/kinds')
    return {
      settings: {
        experimentTools: text('the path of a module', /^[^\0]{1,4096}$/)
          .optional()
          .describe(
            'a module with the tools that roles of posted experiments may use; it is run when the server starts',
          ),
      },
      async create({ experimentTools: module }) {
        const { createExperimentPlug } = await import('./server-plug.ts')
        // The operator names it, so it may be run; a plan that is posted may not name code.
        const tools =
          typeof module === 'string'
            ? await (await import('../command/load-plan.ts')).loadTools(module)
            : undefined
        return createExperimentPlug({ tools, sample })
      },
    }
  },
})
