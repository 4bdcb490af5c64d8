import { isWindow } from '../check-options.ts'

/** The window of a model from the server's list of models. */
export function readWindow(models: unknown, model: string): number | undefined {
  const list = (Array.isArray(models) ? models : []) as readonly (ListedModel | null)[]
  return windowOf(list.find(one => one?.id === model))
}

/** vLLM, OpenRouter, Groq and others each have their own field; llama.cpp tells it of one slot. */
export function windowOf(listed: ListedModel | null | undefined): number | undefined {
  const told = [listed?.max_model_len, listed?.context_length, listed?.context_window, listed?.meta?.n_ctx]
  return told.find(isWindow)
}

export interface ListedModel {
  readonly id?: unknown
  readonly max_model_len?: unknown
  readonly context_length?: unknown
  readonly context_window?: unknown
  readonly meta?: { readonly n_ctx?: unknown } | null
}
