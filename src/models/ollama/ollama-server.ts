import type { Server } from '../to-model-error.ts'

/** An Ollama server, for error messages. `option` is where its address was given. */
export function ollamaServer(
  address: string,
  model: string,
  option: string,
  sent: () => readonly string[],
): Server {
  return {
    name: `Ollama at ${address}`,
    model,
    notFound: `Get it with "ollama pull ${model}"`,
    unavailable: `start it with "ollama serve", or check "${option}"`,
    sent,
  }
}
