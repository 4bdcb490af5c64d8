import type { ChatOptions } from './chat-options.ts'
import { answerTurn } from './turn/answer-turn.ts'
import { TooManyRoundsError } from './turn/end-failed.ts'
import { setUpAsking } from './turn/set-up-asking.ts'
import { openRequest, runTools } from './turn/tools/run-tools.ts'
import { readingTool, readMessageSpec, readResultSpec, toSpec } from './turn/tools/tool.ts'
import type { Asking } from './turn/turn-options.ts'
import { linkSignals } from './turn/wait/link-signals.ts'

export interface ChatTurn extends Pick<Asking, 'log' | 'emit' | 'signal' | 'tally'> {
  readonly request: { readonly projectId?: string | undefined; readonly data?: unknown }
}

export async function answerWithTools(
  options: ChatOptions,
  { log, emit, signal, tally, request }: ChatTurn,
) {
  const { maxRounds = 20, toolTimeoutMs: timeoutMs = 60_000 } = options
  const { toolsInOrder: inOrder = (options.state?.length ?? 0) > 0 } = options
  const tools = new Map(options.tools?.map(tool => [tool.name, tool]))
  const mostTokens = () => asking!.mostResultTokens
  // A list that its client sends has no numbers in a log.
  const offered = toOffered(log.turn === undefined ? { ...options, readMessages: false } : options)
  if (offered.specs.includes(readMessageSpec))
    tools.set(readMessageSpec.name, readingTool(readMessageSpec, log, mostTokens))
  const link = linkSignals(log.signal, signal)
  const place = { log, emit, signal: link.signal }
  let asking: Asking | undefined
  let inRequest: Awaited<ReturnType<typeof openRequest>> | undefined
  const setUp = async () => {
    asking = await setUpAsking(options, { ...place, ...offered, replies: 'streamed', tally })
    return asking
  }
  try {
    return await answerTurn(
      { ...place, setUp },
      {
        async runCalls(waiting) {
          const { mostResultTokens } = asking!
          inRequest ??= await openRequest(log, request)
          if (await log.hasClipped(mostResultTokens))
            tools.set(readResultSpec.name, readingTool(readResultSpec, log, mostTokens))
          await runTools(waiting, {
            ...place,
            mostResultTokens,
            tools,
            timeoutMs,
            inOrder,
            inRequest,
          })
          return true
        },
        isOver: ({ called }) => called.some(name => tools.get(name)?.endsTurn),
        async beforeCall(round) {
          if (round > maxRounds) throw new TooManyRoundsError(maxRounds)
          return true
        },
      },
    )
  } finally {
    link.unlink()
  }
}

export function toOffered({ tools = [], readMessages = false }: ChatOptions) {
  const specs = [...tools.map(toSpec), ...(readMessages ? [readMessageSpec] : [])]
  return { specs, readOn: tools.length > 0 ? readResultSpec : undefined }
}
