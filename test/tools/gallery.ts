import type { ApplicationState } from '@throughline/gallery/application'
import { createGalleryPlug } from '@throughline/gallery/server-plug'
import { applications } from '../../src/applications/applications.ts'
import { apiClient } from './api-client.ts'
import { startServer } from './start-server.ts'

/** The gallery as the program adds it to its server. */
export const gallery = () => createGalleryPlug(applications)

/** A server with the gallery, and a visitor who talks to its applications. */
export async function startGallery(options: Parameters<typeof startServer>[0] = {}) {
  const plug = gallery()
  const server = await startServer({ ...options, plugs: [plug] })
  const api = apiClient(server.url, {}, plug.routes)

  async function stateOf(name: string, conversation = `try-${name}`): Promise<ApplicationState> {
    const { status, body } = await api.get(`/gallery/${name}/${conversation}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body
  }

  async function tell(name: string, text: string, conversation = `try-${name}`): Promise<void> {
    const response = await api.request('POST', `/gallery/${name}/${conversation}/say`, { text })
    const lines = (await response.text()).trim().split('\n')
    if (!lines.at(-1)!.includes('"end"')) throw new Error(`${response.status} ${lines.join(' ')}`)
  }

  /** Says something to an application, and gives where it stands then. */
  async function say(...said: Parameters<typeof tell>): Promise<ApplicationState> {
    await tell(...said)
    return stateOf(said[0], said[2])
  }

  return { ...server, api, stateOf, tell, say }
}

/** The drawing of an application, of the kind that a test expects. */
export function drawingOf<Kind extends ApplicationState['drawing']['kind']>(
  { drawing }: ApplicationState,
  kind: Kind,
): Extract<ApplicationState['drawing'], { kind: Kind }> {
  if (drawing.kind !== kind) throw new Error(`It draws a ${drawing.kind}, not a ${kind}.`)
  return drawing as Extract<ApplicationState['drawing'], { kind: Kind }>
}
