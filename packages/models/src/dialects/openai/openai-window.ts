import type { Fields } from '@throughline/core/fields'
import { fieldsOf, listOf } from '../../read-text.ts'
import { toldFact, type WindowFact, windowSources } from '../../windows/window-fact.ts'
import { ifKnown } from '../../wire/ask.ts'
import type { Ask } from '../../wire/wire.ts'

/** The models of a list in OpenAI's form. Together sends them without the field around them. */
export const modelsIn = (answer: unknown): readonly Fields[] =>
  listOf(Array.isArray(answer) ? answer : fieldsOf(answer).data)

/** vLLM, OpenRouter and Together, Groq, Mistral each have their own field; llama.cpp tells it of one slot. */
export function listedFact(listed: Fields = {}): WindowFact {
  const { max_model_len, context_length, context_window, max_context_length, meta } = listed
  const told = [
    max_model_len,
    context_length,
    context_window,
    max_context_length,
    fieldsOf(meta).n_ctx,
  ]
  return toldFact(told)
}

/** The window of a model behind chat completions, as its server tells it. `path`: that of the list of models. */
export async function findOpenAiWindow(
  ask: Ask,
  path: string,
  model: string,
  signal?: AbortSignal,
) {
  const listed = modelsIn(await ifKnown(() => ask({ path, signal })))
  const entry = listed.find(one => one.id === model)
  const fact = listedFact(entry)
  if (fact.tokens !== undefined) return fact
  const local = await findLocalWindow(ask, model, listed.length > 1, signal)
  // A llama.cpp of several models loads this one when it is first asked.
  return fieldsOf(entry?.status).value === 'unloaded' ? { ...local, mayChange: true } : local
}

/** The window of a server that has answered with its list: it is there, even if it does not know these paths. */
async function findLocalWindow(
  ask: Ask,
  model: string,
  hasOthers: boolean,
  signal?: AbortSignal,
): Promise<WindowFact> {
  const read = async (path: string) => {
    const answer = await ask({ path, signal }).catch(() => signal?.throwIfAborted())
    return fieldsOf(answer)
  }
  // llama.cpp with one model answers whatever name it is called by.
  const { default_generation_settings: slot } = hasOthers ? {} : await read('/props')
  const ofSlot = toldFact([fieldsOf(slot).n_ctx])
  if (ofSlot.tokens !== undefined) return ofSlot
  return (
    studioFact(listOf((await read('/api/v1/models')).models).map(fromStudio), model) ??
    studioFact(listOf((await read('/api/v0/models')).data).map(fromOlderStudio), model) ??
    {}
  )
}

/** A model of LM Studio: the windows with which it is loaded, by the names that it has then, and the largest possible one. */
interface StudioModel {
  readonly name: unknown
  readonly loaded: readonly { readonly id: unknown; readonly window: unknown }[]
  readonly most: unknown
}

function fromStudio({ key, loaded_instances, max_context_length }: Fields): StudioModel {
  const loaded = listOf(loaded_instances).map(({ id, config }) => ({
    id,
    window: fieldsOf(config).context_length,
  }))
  return { name: key, loaded, most: max_context_length }
}

const fromOlderStudio = ({
  id,
  loaded_context_length,
  max_context_length,
}: Fields): StudioModel => ({
  name: id,
  loaded: loaded_context_length === undefined ? [] : [{ id, window: loaded_context_length }],
  most: max_context_length,
})

/** Undefined if LM Studio does not have the model. One that it has not loaded may get a smaller window than the largest. */
function studioFact(models: readonly StudioModel[], model: string): WindowFact | undefined {
  for (const { name, loaded, most } of models) {
    const instance =
      loaded.find(({ id }) => id === model) ?? (name === model ? loaded[0] : undefined)
    const fact = toldFact([instance?.window])
    if (fact.tokens !== undefined) return { ...fact, from: windowSources.loaded }
    if (name !== model) continue
    const { tokens } = toldFact([most])
    return tokens === undefined
      ? { mayChange: true }
      : { tokens, from: windowSources.most, mayChange: true }
  }
  return undefined
}
