import { InvalidOptionError } from '../log/error.ts'
import { OtherProjectError } from './errors.ts'
import { getContext } from './request-context.ts'

/**
 * Throws OtherProjectError unless `owner`, the project that the thing with this id belongs to, is the request's own.
 * For ids that only a database can tell: look the thing up, then check before using it. Nothing found is a refusal too.
 *
 * @example
 * const experiment = await database.experiment(id)
 * checkProject(id, experiment?.projectId)
 */
export function checkProject(id: string, owner: string | undefined): void {
  const { projectId } = getContext()
  if (projectId === undefined) {
    throw new InvalidOptionError('projectId', `"${id}" cannot be checked: give runWithContext a projectId`)
  }
  if (owner !== projectId) throw new OtherProjectError(id)
}
