import type { ServerPlug } from '@throughline/server/api/route'
import type { Application } from './application.ts'
import { galleryRoutes } from './gallery-routes.ts'

/** The gallery as a part of one server. It keeps nothing: what was said is in the log. */
export const createGalleryPlug = (applications: readonly Application[]): ServerPlug => ({
  name: 'gallery',
  routes: galleryRoutes(applications),
  statuses: {},
  gauges: () => ({}),
  close: async () => {},
})
