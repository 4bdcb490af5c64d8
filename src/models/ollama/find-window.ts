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
  const loaded = readLoaded(await ask(() => client.ps()), model)
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

function readLoaded(answer: unknown, model: string): number | undefined {
  const { models } = (answer ?? {}) as { models?: unknown }
  const list = (Array.isArray(models) ? models : []) as Readonly<Record<string, unknown>>[]
  const found = list.find(one => [one.model, one.name].some(name => withTag(name) === withTag(model)))
  return positive(found?.context_length)
}

/** Reads `num_ctx` from the `parameters` of the Modelfile: a name and a value on each line. */
function readOwn(answer: unknown): number | undefined {
  const { parameters } = (answer ?? {}) as { parameters?: unknown }
  const line = typeof parameters === 'string' ? /^\s*num_ctx\s+(\d+)\s*$/m.exec(parameters) : null
  return line ? positive(Number(line[1])) : undefined
}

function withTag(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const last = name.slice(name.lastIndexOf('/') + 1)
  return (last.includes(':') ? name : `${name}:latest`).toLowerCase()
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
