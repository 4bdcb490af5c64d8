import { InvalidOptionError } from '../../log/error.ts'
import type { Model } from '../../models/model.ts'
import { ollama } from '../../models/ollama/ollama.ts'
import { openaiCompatible } from '../../models/openai/openai-compatible.ts'
import { reader } from '../../models/reader/reader.ts'

/**
 * The model that a plan names: `reader`, `ollama:<model>` or `openai:<base URL>#<model>`. Plans hold no keys: for a
 * server that wants one, pass your own `modelOf`.
 */
export function modelFor(name: string): Model {
  if (name === 'reader') return reader()
  const [, kind, rest = ''] = /^(ollama|openai):(.+)$/s.exec(name) ?? []
  if (kind === 'ollama') return ollama({ model: rest })
  const [, baseURL, model] = /^(.+)#([^#]+)$/s.exec(rest) ?? []
  if (kind === 'openai' && baseURL && model) return openaiCompatible({ baseURL, model })
  throw new InvalidOptionError(
    'model',
    `expected reader, ollama:<model> or openai:<base URL>#<model>, got "${name}"`,
  )
}
