import type { CommandPlug } from '@throughline/server/cli/command-plug'
import type { Application } from './application.ts'

/** The gallery as a part of the server that `serve --gallery` starts. */
export const galleryPlug = (applications: readonly Application[]): CommandPlug => ({
  commands: {},
  async serve() {
    const { onOff } = await import('@throughline/server/config/kinds')
    return {
      settings: {
        gallery: onOff()
          .default(false)
          .describe(
            'whether the page has applications to try: a lamp, a site editor, an A/B agent, a proxy',
          ),
      },
      async create({ gallery }) {
        if (gallery !== true) return undefined
        return (await import('./server-plug.ts')).createGalleryPlug(applications)
      },
    }
  },
})
