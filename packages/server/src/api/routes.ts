import { callRoutes } from './calls.ts'
import { cardRoutes } from './cards.ts'
import { chatRoutes } from './chat.ts'
import { contextRoutes } from './contexts.ts'
import { conversationRoutes } from './conversations.ts'
import { eventRoutes } from './events.ts'
import { handRoutes } from './hands.ts'
import { keyRoutes } from './keys.ts'
import { sampleRoutes } from './samples.ts'
import { seenRoutes } from './seen.ts'
import { serverRoutes } from './server-info.ts'
import { shadowRoutes } from './shadow-calls.ts'
import { stateRoutes } from './states.ts'
import { threadRoutes } from './threads.ts'
import { timelineRoutes } from './timelines.ts'
import { whyRoutes } from './why.ts'

export const apiBase = '/throughline/v1'

export const apiRoutes = [
  ...serverRoutes,
  ...conversationRoutes,
  ...threadRoutes,
  ...handRoutes,
  ...stateRoutes,
  ...contextRoutes,
  ...timelineRoutes,
  ...whyRoutes,
  ...seenRoutes,
  ...cardRoutes,
  ...callRoutes,
  ...shadowRoutes,
  ...chatRoutes,
  ...eventRoutes,
  ...sampleRoutes,
  ...keyRoutes,
]
