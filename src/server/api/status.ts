import { z } from 'zod'
import { count, time } from './schemas.ts'

export const status = z.discriminatedUnion('state', [
  z.object({ state: z.literal('idle') }),
  z.object({
    state: z.literal('open'),
    turn: count,
    startedAt: time,
    owner: z.string(),
    expiresInMs: z.number(),
  }),
  z.object({ state: z.literal('interrupted'), turn: count, startedAt: time }),
])
