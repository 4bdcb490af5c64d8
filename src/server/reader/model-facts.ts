/** What the reader says about its models, as Ollama and OpenAI do. */
export function modelFacts(models: readonly string[], window: number, began: number) {
  const modified_at = new Date(began).toISOString()
  const listed = models.map(model => {
    const name = model.includes(':') ? model : `${model}:latest`
    return { name, model: name, size: 0, digest: 'reader', details }
  })
  // The reader is always loaded, with its whole window.
  const loaded = { expires_at: '9999-12-31T23:59:59Z', size_vram: 0, context_length: window }
  const created = Math.floor(began / 1000)
  return {
    tags: { models: listed.map(one => ({ ...one, modified_at })) },
    ps: { models: listed.map(one => ({ ...one, ...loaded })) },
    show: {
      modelfile: '',
      parameters: '',
      template: '',
      details,
      model_info: { 'general.architecture': 'reader', 'reader.context_length': window },
      capabilities: ['completion', 'tools'],
      modified_at,
    },
    models: {
      object: 'list',
      data: models.map(id => ({ id, object: 'model', created, owned_by: 'throughline' })),
    },
  }
}

const details = {
  parent_model: '',
  format: 'none',
  family: 'reader',
  families: ['reader'],
  parameter_size: '0',
  quantization_level: 'none',
}
