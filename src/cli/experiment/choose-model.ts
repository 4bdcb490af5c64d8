import { type ExperimentPlan, modelFor } from '../../experiment/index.ts'
import type { Model } from '../../models/model.ts'
import { ollama } from '../../models/ollama/ollama.ts'
import { UserError } from '../user-error.ts'

/** `modelFor`, with the address of Ollama from `OLLAMA_HOST`, as Ollama's own commands have it. */
export function chooseModel(name: string, env: NodeJS.ProcessEnv = process.env): Model {
  const [, model] = /^ollama:(.+)$/s.exec(name) ?? []
  if (model === undefined || !env.OLLAMA_HOST) return modelFor(name)
  return ollama({ model, host: toAddress(env.OLLAMA_HOST) })
}

/** Asks every model for its window, so that a missing model is reported before the experiment begins. */
export async function checkModels({ roles }: ExperimentPlan, signal: AbortSignal): Promise<void> {
  const asked = roles.filter(({ window }) => window === undefined).map(({ model }) => model)
  for (const model of new Set(asked)) {
    try {
      await model.window(signal)
    } catch (error) {
      throw new UserError(error instanceof Error ? error.message : String(error), { cause: error })
    }
  }
}

/** Makes a URL of `OLLAMA_HOST`, which may also be `0.0.0.0:11434` or `harbour`. */
function toAddress(host: string): string {
  const [, scheme = 'http://', name = '', port = scheme === 'https://' ? ':443' : ':11434', path = ''] =
    /^(https?:\/\/)?(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)?$/.exec(host) ?? []
  if (name === '') throw new UserError(`OLLAMA_HOST is no address: "${host}"`)
  return `${scheme}${name === '0.0.0.0' ? '127.0.0.1' : name}${port}${path}`
}
