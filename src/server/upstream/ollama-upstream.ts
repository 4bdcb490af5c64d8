import { checkWindow } from '../../models/check-options.ts'
import type { ModelSettings } from '../../models/model.ts'
import { ollamaWire, reloads } from '../../models/ollama/ollama-wire.ts'
import type { UpstreamConnectionOptions } from './connection.ts'
import { openUpstream } from './open-upstream.ts'

export interface OllamaUpstreamOptions extends UpstreamConnectionOptions {
  /** The window of models that are not loaded yet. Default: that of the Modelfile, else 4096. */
  readonly window?: number
}

export function ollamaUpstream({ window, ...options }: OllamaUpstreamOptions) {
  checkWindow(window)
  const wire = ollamaWire({ option: 'upstream', unloaded: window })
  return openUpstream('ollama', options, { wire, settings: withoutReloads })
}

function withoutReloads(settings: ModelSettings): ModelSettings {
  const { options, ...flat } = settings.provider ?? {}
  return { ...settings, provider: { ...strip(flat), options: strip(options ?? {}) } }
}

function strip(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !reloads.has(name)))
}
