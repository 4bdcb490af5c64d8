import type { CommandPlug } from '@throughline/server/cli/command-plug'
import { createProgram } from '@throughline/server/cli/run-program'
import { readConfig } from '@throughline/server/config/read-config'
import { apiClient } from '@throughline/test-tools/api-client'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { lemonadeStand } from '../../../src/lemonade-stand.ts'
import { experimentPlug } from '../src/plug/command-plug.ts'

const plug = experimentPlug(lemonadeStand)

/** What a server shows of experiments: the places of its document, its menus and its numbers. */
async function shownAt(url: string) {
  const api = apiClient(url)
  const { body: document } = await api.get('/openapi.json')
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return {
    paths: Object.keys(document.paths).filter(path => path.includes('experiment')),
    plugs: (await api.get('/server')).body.plugs,
    hasMetric: metrics.includes('throughline_running_experiments'),
  }
}

async function helpOf(plugs: readonly CommandPlug[]) {
  const program = await createProgram(['serve', '--help'], plugs)
  const serve = program.commands.find(command => command.name() === 'serve')!
  return { all: program.helpInformation(), serve: serve.helpInformation() }
}

describe('without experiments', () => {
  it('a server has nothing of them: no route, no place in its document, no menu, no number', async () => {
    const { url, routes } = await startServer()
    expect(await shownAt(url)).toEqual({ paths: [], plugs: [], hasMetric: false })
    expect(routes.filter(({ path }) => path.includes('experiment'))).toEqual([])
    const api = apiClient(url)
    const answers = [
      await api.get('/experiments'),
      await api.get('/experiments/one'),
      await api.post('/experiments', { plan: { name: 'stand' } }),
      await api.post('/samples/experiment'),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([404, 'no_route'])
      expect(body.error.message).toBe('There is nothing at this address of the API.')
    }
    // All else is there.
    expect((await api.post('/samples/conversation')).status).toBe(200)
  })

  it('the command line has neither the command nor the setting', async () => {
    const { all, serve } = await helpOf([])
    expect(all).toContain('serve')
    expect(all).not.toContain('experiment')
    expect(serve).toContain('--upstream')
    expect(serve).not.toContain('experiment')
    const env = { THROUGHLINE_EXPERIMENT_TOOLS: 'tools.ts' }
    expect(() => readConfig({ env })).toThrow('THROUGHLINE_EXPERIMENT_TOOLS is no setting')
  })
})

describe('with experiments', () => {
  it('a server has their routes, a place in its document, a menu and a number', async () => {
    const { url } = await startWithExperiments()
    const { paths, plugs, hasMetric } = await shownAt(url)
    expect([paths.length, plugs, hasMetric]).toEqual([10, ['experiments'], true])
  })

  it('every route of theirs wants a key where the server does', async () => {
    const { api } = await startWithExperiments({ apiKeys: ['a-key-of-the-configuration'] })
    const theirs = api.routes.filter(({ path }) => path.includes('experiment'))
    expect(theirs).toHaveLength(11)
    for (const { method, path } of theirs) {
      const response = await api.request(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'))
      await response.body?.cancel()
      expect([path, response.status]).toEqual([path, 401])
    }
  })

  it('the command line has the command and the setting', async () => {
    const { all, serve } = await helpOf([plug])
    expect(all).toContain('experiment')
    expect(serve).toContain('--experiment-tools')
    const { settings: plugged } = await plug.serve()
    const { config, sources } = readConfig({ flags: { experimentTools: 'tools.ts' }, plugged })
    expect(config).toMatchObject({ experimentTools: 'tools.ts' })
    expect(sources).toMatchObject({ experimentTools: '--experiment-tools' })
  })
})
