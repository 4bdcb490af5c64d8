import { ModelError } from '../model-error.ts'

/** The part of the client that is used here. */
export interface WindowClient {
  ps(): Promise<unknown>
  show(request: { model: string }): Promise<unknown>
}

/** Ollama's own default on machines with little memory. */
const defaultWindow = 4096

/**
 * The window that the model is loaded with now, because another one would reload it; else the one that is wanted, else that
 * of its Modelfile. Not the length that it was trained for, which is seldom allocated.
 */
export async function findWindow(client: WindowClient, model: string, wanted?: number): Promise<number> {
  const loaded = loadedWindows(await ask(() => client.ps())).get(withTag(model))
  if (loaded !== undefined) return loaded
  if (wanted !== undefined) return wanted
  return readOwn(await ask(() => client.show({ model }))) ?? defaultWindow
}

/** Undefined if the server does not know the route; an error if it cannot be reached. */
async function ask(question: () => Promise<unknown>): Promise<unknown> {
  try {
    return await question()
  } catch (error) {
    const isRefusal = error instanceof ModelError && !error.isRetryable
    if (isRefusal || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The windows of the models in memory, from `/api/ps`, by their names with tag. */
export function loadedWindows(answer: unknown): ReadonlyMap<string, number> {
  const { models } = (answer ?? {}) as { models?: unknown }
  const windows = new Map<string, number>()
  for (const one of (Array.isArray(models) ? models : []) as readonly unknown[]) {
    const { name, model, context_length } = (one ?? {}) as Readonly<Record<string, unknown>>
    const window = positive(context_length)
    for (const called of [name, model])
      if (typeof called === 'string' && window !== undefined) windows.set(withTag(called), window)
  }
  return windows
}

/** Reads `num_ctx` from the `parameters` of the Modelfile: a name and a value on each line. */
function readOwn(answer: unknown): number | undefined {
  const { parameters } = (answer ?? {}) as { parameters?: unknown }
  const line = typeof parameters === 'string' ? /^\s*num_ctx\s+(\d+)\s*$/m.exec(parameters) : null
  return line ? positive(Number(line[1])) : undefined
}

/** The name that Ollama itself uses: `llama3` is `llama3:latest`. */
export function withTag(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return (last.includes(':') ? name : `${name}:latest`).toLowerCase()
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
