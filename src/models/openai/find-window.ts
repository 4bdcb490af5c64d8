import type { Fields } from '../../log/fields.ts'
import { isWindow } from '../check-options.ts'
import { fieldsOf, listOf } from '../read-text.ts'
import { type Ask, ifKnown } from '../wire/ask.ts'

/** The window that a server tells: in its list of models at `list`, or in the ways of llama.cpp and LM Studio. */
export async function findWindow(
  ask: Ask,
  list: string,
  model: string,
  isOpenAi: boolean,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const listed = (await ifKnown(() => listModels(ask, list, signal))) ?? []
  const listedWindow = windowOf(listed.find(one => one.id === model))
  if (listedWindow !== undefined || isOpenAi) return listedWindow
  // The list was answered: whatever these paths are answered with, the server is there and just does not know them.
  const read = (path: string) =>
    ask({ path, signal }).catch(() => {
      signal?.throwIfAborted()
    })
  // llama.cpp with one model answers whatever name it is called by.
  const slot = listed.length > 1 ? undefined : readProps(await read('/props'))
  return slot ?? readLoaded(await read('/api/v1/models'), model)
}

export const listModels = async (ask: Ask, list: string, signal?: AbortSignal): Promise<readonly Fields[]> =>
  listOf(fieldsOf(await ask({ path: list, signal })).data)

/** vLLM, OpenRouter, Groq and others each have their own field; llama.cpp tells it of one slot. */
export function windowOf(listed: Fields = {}): number | undefined {
  const { max_model_len, context_length, context_window, meta } = listed
  return [max_model_len, context_length, context_window, fieldsOf(meta).n_ctx].find(isWindow)
}

/** llama.cpp's window of one slot. */
const readProps = (props: unknown): number | undefined =>
  [fieldsOf(fieldsOf(props).default_generation_settings).n_ctx].find(isWindow)

/** LM Studio's window of a loaded model. */
function readLoaded(answer: unknown, model: string): number | undefined {
  for (const { key, loaded_instances } of listOf(fieldsOf(answer).models)) {
    const loaded = listOf(loaded_instances)
    const instance = loaded.find(({ id }) => id === model) ?? (key === model ? loaded[0] : undefined)
    const { context_length: window } = fieldsOf(instance?.config)
    if (isWindow(window)) return window
  }
  return undefined
}
