import { InvalidOptionError } from '../log/error.ts'
import { OtherProjectError } from './errors.ts'
import { getContext } from './request-context.ts'

/**
 * Throws OtherProjectError unless `owner`, the project of the thing with this id, is the request's project. For ids that
 * only a database knows: look the thing up, then check it before use. An owner of undefined (not found) is refused too.
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
