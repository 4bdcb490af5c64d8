import type { ListedModel } from '@throughline/models/wire'

/** What a list of models says of each: a family for Ollama's clients, an owner for OpenAI's, and its date. */
export interface Teller {
  readonly family: string
  readonly began: number
}

/** The version of Ollama whose routes are spoken here. Clients ask for it before they use newer ones. */
export const ollamaVersion = '0.33.0'

export function toTag({ name }: ListedModel, teller: Teller) {
  return { ...toRow(name, teller), modified_at: new Date(teller.began).toISOString() }
}

/** A model in the list of `/api/ps`. It answers without being loaded first, so it counts as loaded for ever. */
export function toLoaded({ name, window }: ListedModel, teller: Teller) {
  return {
    ...toRow(name, teller),
    expires_at: '9999-12-31T23:59:59Z',
    size_vram: 0,
    context_length: window,
  }
}

export function toShown({ window }: ListedModel, { family, began }: Teller) {
  return {
    modelfile: '',
    parameters: '',
    template: '',
    details: detailsOf(family),
    model_info: {
      'general.architecture': family,
      ...(window !== undefined && { [`${family}.context_length`]: window }),
    },
    capabilities: ['completion', 'tools'],
    modified_at: new Date(began).toISOString(),
  }
}

export function toOpenAiModel({ name }: ListedModel, { family, began }: Teller) {
  return { id: name, object: 'model', created: Math.floor(began / 1000), owned_by: family }
}

export function toGeminiModel({ name }: ListedModel) {
  return {
    name: `models/${name}`,
    displayName: name,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}

function toRow(name: string, { family }: Teller) {
  return { name, model: name, size: 0, digest: digestOf(name), details: detailsOf(family) }
}

/** There is no file to be hashed, so it is the name in hexadecimal digits: Ollama's own client breaks at less than twelve. */
function digestOf(name: string): string {
  const digits = Array.from(new TextEncoder().encode(name), byte =>
    byte.toString(16).padStart(2, '0'),
  )
  return digits.join('').padEnd(64, '0').slice(0, 64)
}

const detailsOf = (family: string) => ({
  parent_model: '',
  format: 'none',
  family,
  families: [family],
  parameter_size: '0',
  quantization_level: 'none',
})
