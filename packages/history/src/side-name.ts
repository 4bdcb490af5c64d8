import { InvalidOptionError, showValue } from '@throughline/core/errors'
import type { ThreadKey } from '@throughline/stores/store'

/** How names of side requests' conversations and branches begin. Users' lists and searches leave them out. */
export const sidePrefix = 'throughline:side:'

export const sideName = (id: string): string => `${sidePrefix}${id}`

export const isSideName = (name: string): boolean => name.startsWith(sidePrefix)

export const isSideThread = ({
  conversation,
  branch,
}: Pick<ThreadKey, 'conversation' | 'branch'>): boolean =>
  isSideName(conversation) || isSideName(branch)

/** Whether a name is one that the library gives itself: to plans, goals, wishes, prompts and side requests. */
export const isReserved = (name: string): boolean => name.startsWith('throughline:')

/** The actor of the thread in which an experiment keeps its course. Stored: the name must not change. */
export const experimentActor = 'throughline:run'

/** Refuses reserved names where an application or a client gives them: a chat of such a name would be in no list. */
export function checkUnreserved(names: Readonly<Record<string, unknown>>): void {
  for (const [option, name] of Object.entries(names))
    if (typeof name === 'string' && isReserved(name))
      throw new InvalidOptionError(option, reservedName(name))
}

export const reservedName = (name: string): string =>
  `${showValue(name)} is reserved: names that begin with "throughline:" are the library's own`
