import {
  appendToConversation,
  bindContext,
  type RequestContext,
  runWithContext,
} from '../../request/index.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { ToolEnvironment } from './run-tool.ts'

/** Opens one request context for the whole turn: its tools share memory, and see what the turn has added so far. */
export async function openRequest(
  log: TurnLog,
  { projectId, data }: { readonly projectId?: string | undefined; readonly data?: unknown },
): Promise<ToolEnvironment['inRequest']> {
  const context: RequestContext = {
    ...(await log.request()),
    ...(projectId === undefined ? {} : { projectId }),
    ...(data === undefined ? {} : { data }),
  }
  const inRequest = runWithContext(context, () => bindContext((action: () => unknown) => action()))
  log.onAdded(message => void inRequest(() => appendToConversation(message)))
  return inRequest as ToolEnvironment['inRequest']
}
