import type { ExperimentPlugOptions } from '@throughline/experiment/plug/sample'
import { createExperimentPlug } from '@throughline/experiment/plug/server-plug'
import { lemonadeStand } from '../../src/lemonade-stand.ts'
import { apiClient } from './api-client.ts'
import { startServer } from './start-server.ts'

/** Experiments as the program adds them to its server: a plug is of one server. */
export const experiments = (options: Pick<ExperimentPlugOptions, 'tools'> = {}) =>
  createExperimentPlug({ ...options, sample: lemonadeStand })

/** A server with experiments, and a client of all its routes. */
export async function startWithExperiments({
  tools,
  ...options
}: Parameters<typeof startServer>[0] & Pick<ExperimentPlugOptions, 'tools'> = {}) {
  const plug = experiments({ tools })
  const server = await startServer({ ...options, plugs: [plug] })
  return { ...server, api: apiClient(server.url, {}, plug.routes) }
}
