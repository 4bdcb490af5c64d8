import type { ThreadKey } from '../stores/store.ts'

/** How names of side requests' conversations and branches begin. Users' lists and searches leave them out. */
export const sidePrefix = 'throughline:side:'

export const sideName = (id: string): string => `${sidePrefix}${id}`

export const isSideName = (name: string): boolean => name.startsWith(sidePrefix)

export const isSideThread = ({ conversation, branch }: Pick<ThreadKey, 'conversation' | 'branch'>): boolean =>
  isSideName(conversation) || isSideName(branch)
