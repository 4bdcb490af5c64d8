import { isWindow } from '../check-options.ts'

/** The window of a model from the server's list of models: vLLM, OpenRouter, Groq and others each have their own field. */
export function readWindow(models: unknown, model: string): number | undefined {
  const list = (Array.isArray(models) ? models : []) as Readonly<Record<string, unknown>>[]
  const found = list.find(one => one?.id === model)
  return [found?.max_model_len, found?.context_length, found?.context_window].find(isWindow)
}
