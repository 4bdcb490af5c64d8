import type { ChatRequest } from '@throughline/models/dialects'
import type { Upstream } from '../upstream/upstream.ts'

/** A window that a client asked for, and the one that counts in its place. */
export interface OtherWindow {
  readonly asked: number
  readonly window: number
  readonly from: string | undefined
}

/** Lets the window count that a client asks for, if the upstream can choose. Gives what is to be logged if another counts. */
export async function wishWindow(
  { wishWindow: wish }: Pick<Upstream, 'wishWindow'>,
  { model, window: asked }: Pick<ChatRequest, 'model' | 'window'>,
  advertisedWindow: number,
  signal: AbortSignal,
): Promise<OtherWindow | undefined> {
  // A client that sends the window that it was told has none of its own.
  if (!wish || asked === undefined || asked >= advertisedWindow) return undefined
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestWait)])
  const { tokens: window, from } = await wish(model, asked, limited).catch(
    () => ({}) as { tokens?: number; from?: string },
  )
  return window === undefined || window === asked ? undefined : { asked, window, from }
}

/** Whether the upstream answers at all is found out when the turn is asked. */
const longestWait = 2000
