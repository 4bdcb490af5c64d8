/** The types of the API of the gallery that its page is made of. */
import type { galleryRoutes } from './gallery-routes.ts'

export type {
  AgentDrawing,
  ApplicationState,
  LampDrawing,
  SentAs,
  SiteDrawing,
  WaysColumn,
  WaysDrawing,
} from './application.ts'
export type GalleryRoute = ReturnType<typeof galleryRoutes>[number]
