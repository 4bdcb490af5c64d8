import { type Model, ModelError } from '../../models/model.ts'
import { type ReaderOptions, reader } from '../../models/reader/reader.ts'

/** Opens the reader under one of its names, each also with `:latest`. One that it does not have fails when it is asked. */
export function openReader(
  name: string,
  models: readonly string[],
  options: Omit<ReaderOptions, 'name'>,
): Model {
  if (models.some(model => name === model || name === `${model}:latest`)) return reader({ ...options, name })
  const fail = async (): Promise<never> => {
    const message = `model '${name.slice(0, 100)}' not found: the built-in reader has '${models.join("', '")}'`
    throw new ModelError('model_not_found', message, { status: 404 })
  }
  return { name, window: fail, stream: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) }
}
