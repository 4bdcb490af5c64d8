/** Answers of the upstream with the window that clients are told: the promised one, so that they send everything. */
export function tellWindow(path: string, body: unknown, advertisedWindow: number): unknown {
  if (typeof body !== 'object' || body === null) return body
  switch (path) {
    case '/api/show':
      return showWithWindow(body as AnswerFields, advertisedWindow)
    case '/api/ps':
      return eachOf(body as AnswerFields, 'models', model => ({ ...model, context_length: advertisedWindow }))
    case '/v1/models':
      return eachOf(body as AnswerFields, 'data', model => modelWithWindow(model, advertisedWindow))
    default:
      return path.startsWith('/v1/models/') ? modelWithWindow(body as AnswerFields, advertisedWindow) : body
  }
}

export const tellsWindow = (path: string) =>
  ['/api/show', '/api/ps', '/v1/models'].includes(path) || path.startsWith('/v1/models/')

type AnswerFields = Readonly<Record<string, unknown>>

/** The trained length stands in `model_info`, as `llama.context_length`; that of the Modelfile in `parameters`. */
function showWithWindow(body: AnswerFields, advertisedWindow: number): AnswerFields {
  const shown: Record<string, unknown> = { ...body }
  const { model_info: info, parameters } = body
  if (typeof info === 'object' && info !== null) {
    const tell = ([name, value]: [string, unknown]) =>
      name.endsWith('.context_length') ? [name, advertisedWindow] : [name, value]
    shown.model_info = Object.fromEntries(Object.entries(info).map(tell))
  }
  if (typeof parameters === 'string') {
    const lines = parameters
      .split('\n')
      .filter(line => line !== '' && !line.trimStart().startsWith('num_ctx'))
    shown.parameters = [...lines, `num_ctx ${advertisedWindow}`].join('\n')
  }
  return shown
}

/** The fields under which llama.cpp, vLLM and others tell it, and the one that clients of OpenAI look for. */
function modelWithWindow(model: AnswerFields, advertisedWindow: number): AnswerFields {
  const { meta } = model
  return {
    ...model,
    context_length: advertisedWindow,
    ...('max_model_len' in model && { max_model_len: advertisedWindow }),
    ...(typeof meta === 'object' &&
      meta !== null &&
      'n_ctx' in meta && { meta: { ...meta, n_ctx: advertisedWindow } }),
  }
}

function eachOf(body: AnswerFields, list: string, change: (one: AnswerFields) => AnswerFields): AnswerFields {
  const all = body[list]
  if (!Array.isArray(all)) return body
  return {
    ...body,
    [list]: all.map(one => (typeof one === 'object' && one !== null ? change(one as AnswerFields) : one)),
  }
}
