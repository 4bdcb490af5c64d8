import type { Handler, Upstream } from './upstream.ts'

/** Serves Ollama's routes about its models, their windows and its version. */
export function ollamaFacts({ models, window, hasModel, now }: Upstream): Readonly<Record<string, Handler>> {
  const began = new Date(now()).toISOString()
  const details = {
    parent_model: '',
    format: 'none',
    family: 'reader',
    families: ['reader'],
    parameter_size: '0',
    quantization_level: 'none',
  }
  const listed = models.map(model => {
    const name = model.includes(':') ? model : `${model}:latest`
    return { name, model: name, modified_at: began, size: 0, digest: 'reader', details }
  })
  return {
    'GET /': () => new Response('Ollama is running'),
    'GET /api/version': () => Response.json({ version: '0.0.0-reader' }),
    'GET /api/tags': () => Response.json({ models: listed }),
    // The reader is always loaded, with its whole window.
    'GET /api/ps': () =>
      Response.json({
        models: listed.map(({ modified_at: _, ...model }) => ({
          ...model,
          expires_at: '9999-12-31T23:59:59Z',
          size_vram: 0,
          context_length: window,
        })),
      }),
    'POST /api/show': body => {
      const name = String(body?.model ?? body?.name ?? '')
      if (!hasModel(name)) return Response.json({ error: `model '${name}' not found` }, { status: 404 })
      return Response.json({
        modelfile: '',
        parameters: '',
        template: '',
        details,
        model_info: { 'general.architecture': 'reader', 'reader.context_length': window },
        capabilities: ['completion', 'tools'],
        modified_at: began,
      })
    },
  }
}
