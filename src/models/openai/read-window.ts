/** The window of a model, where the server's list of models tells it: vLLM, OpenRouter, Groq and others, each its own way. */
export function readWindow(models: unknown, model: string): number | undefined {
  const list = (Array.isArray(models) ? models : []) as Readonly<Record<string, unknown>>[]
  const found = list.find(one => one?.id === model)
  const told = [found?.max_model_len, found?.context_length, found?.context_window]
  return told.find(
    (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  )
}
