import { isWindow } from '../check-options.ts'
import { fieldsOf, listOf } from '../read-text.ts'
import { type Ask, ifKnown } from '../wire/ask.ts'

/** Ollama's own default on machines with little memory. */
export const defaultWindow = 4096

/**
 * The window that the model is loaded with now, because another one would reload it; else the one for models that are not
 * loaded, else that of its Modelfile. Not the length that it was trained for, which is seldom allocated.
 */
export async function findWindow(
  ask: Ask,
  model: string,
  unloaded?: number,
  signal?: AbortSignal,
): Promise<number> {
  const loaded = loadedWindows(await ifKnown(() => ask({ path: '/api/ps', signal }))).get(withTag(model))
  const window = loaded ?? unloaded
  if (window !== undefined) return window
  return readOwn(await ifKnown(() => ask({ path: '/api/show', body: { model }, signal }))) ?? defaultWindow
}

/** The windows of the models in memory, from `/api/ps`, by their names with tag. */
export function loadedWindows(answer: unknown): ReadonlyMap<string, number> {
  const windows = new Map<string, number>()
  for (const { name, model, context_length } of listOf(fieldsOf(answer).models)) {
    if (!isWindow(context_length)) continue
    for (const called of [name, model])
      if (typeof called === 'string') windows.set(withTag(called), context_length)
  }
  return windows
}

/** Reads `num_ctx` from the `parameters` of the Modelfile: a name and a value on each line. */
function readOwn(answer: unknown): number | undefined {
  const { parameters } = fieldsOf(answer)
  const line =
    typeof parameters === 'string' ? /^[ \t]*num_ctx[ \t]+(\d{1,15})[ \t\r]*$/m.exec(parameters) : null
  return [Number(line?.[1])].find(isWindow)
}

/** The name that Ollama itself uses: `llama3` is `llama3:latest`. */
export function withTag(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return (last.includes(':') ? name : `${name}:latest`).toLowerCase()
}
