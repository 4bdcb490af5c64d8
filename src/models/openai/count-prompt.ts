import { isWindow as isCount } from '../check-options.ts'
import { ModelError } from '../model.ts'
import type { toOpenAiRequest } from './to-openai-request.ts'

type OpenAiRequest = ReturnType<typeof toOpenAiRequest>

type PostJson = (path: string, body: unknown) => Promise<unknown>

interface Way {
  readonly path: string
  readonly body: (request: OpenAiRequest) => unknown
  readonly field: string
}

/** llama.cpp takes the whole request, vLLM the messages and the tools. */
const waysAt = (chat: string): readonly Way[] => [
  { path: `${chat}/input_tokens`, body: request => request, field: 'input_tokens' },
  {
    path: '/tokenize',
    body: ({ model, messages, tools }) => ({ model, messages, tools }),
    field: 'count',
  },
]

/** Counts prompts exactly, in the way that the server knows: found out once, at the first prompt. `chat`: its path of replies. */
export function promptCounter(
  chat: string,
): (request: OpenAiRequest, ask: PostJson) => Promise<number | undefined> {
  let ways = waysAt(chat)
  return async (request, ask) => {
    for (const way of ways) {
      const { answer, isKnown } = await ifThere(() => ask(way.path, way.body(request)))
      const count = (answer as Readonly<Record<string, unknown>> | null | undefined)?.[way.field]
      // LM Studio answers any path, and llama.cpp has another `/tokenize`.
      if (isKnown && (answer === undefined || isCount(count))) {
        ways = [way]
        return isCount(count) ? count : undefined
      }
    }
    ways = []
    return undefined
  }
}

/** Whether the server has such a path, and its answer; none if it refuses this prompt. Throws if it may answer later. */
async function ifThere(question: () => Promise<unknown>): Promise<{ answer?: unknown; isKnown: boolean }> {
  try {
    return { answer: (await question()) ?? null, isKnown: true }
  } catch (error) {
    if (!(error instanceof ModelError) || error.isRetryable) throw error
    return { isKnown: error.status !== 404 && error.status !== 405 && error.status !== undefined }
  }
}
