import { isWindow } from '../check-options.ts'
import { type Ask, ifKnown } from '../wire/ask.ts'

interface ToFind {
  readonly ask: Ask
  /** The path of the list of models. */
  readonly list: string
  readonly model: string
  readonly isOpenAi: boolean
  readonly signal: AbortSignal | undefined
}

/** The window that a server tells: in its list of models, or in the ways of llama.cpp and LM Studio. */
export async function findWindow({
  ask,
  list,
  model,
  isOpenAi,
  signal,
}: ToFind): Promise<number | undefined> {
  const listed = (await ifKnown(() => listModels(ask, list, signal))) ?? []
  const told = windowOf(listed.find(one => one?.id === model))
  if (told !== undefined || isOpenAi) return told
  // The list was answered: whatever these paths are answered with, the server is there and just does not know them.
  const read = (path: string) =>
    ask({ path, signal }).catch(() => {
      signal?.throwIfAborted()
    })
  // llama.cpp with one model answers whatever name it is called by.
  const slot = listed.length > 1 ? undefined : readProps(await read('/props'))
  return slot ?? readLoaded(await read('/api/v1/models'), model)
}

export async function listModels(
  ask: Ask,
  list: string,
  signal?: AbortSignal,
): Promise<readonly (Listed | null)[]> {
  const { data } = ((await ask({ path: list, signal })) ?? {}) as { data?: unknown }
  return Array.isArray(data) ? data : []
}

/** vLLM, OpenRouter, Groq and others each have their own field; llama.cpp tells it of one slot. */
export function windowOf(listed: Listed | null | undefined): number | undefined {
  const told = [listed?.max_model_len, listed?.context_length, listed?.context_window, listed?.meta?.n_ctx]
  return told.find(isWindow)
}

interface Listed {
  readonly id?: unknown
  readonly max_model_len?: unknown
  readonly context_length?: unknown
  readonly context_window?: unknown
  readonly meta?: { readonly n_ctx?: unknown } | null
}

function readProps(props: unknown): number | undefined {
  const { default_generation_settings: settings } = (props ?? {}) as {
    default_generation_settings?: { n_ctx?: unknown } | null
  }
  return [settings?.n_ctx].find(isWindow)
}

function readLoaded(answer: unknown, model: string): number | undefined {
  const { models } = (answer ?? {}) as { models?: unknown }
  const list = (Array.isArray(models) ? models : []) as readonly (StudioModel | null)[]
  for (const one of list) {
    const loaded = Array.isArray(one?.loaded_instances) ? one.loaded_instances : []
    const instance = loaded.find(each => each?.id === model) ?? (one?.key === model ? loaded[0] : undefined)
    if (isWindow(instance?.config?.context_length)) return instance.config.context_length
  }
  return undefined
}

interface StudioModel {
  readonly key?: unknown
  readonly loaded_instances?: readonly ({
    readonly id?: unknown
    readonly config?: { readonly context_length?: unknown } | null
  } | null)[]
}
