/** Conversations and branches of side requests begin so, and lists leave them out. */
const sidePrefix = 'throughline:side:'

export const sideName = (id: string): string => `${sidePrefix}${id}`

export const isSideName = (name: string): boolean => name.startsWith(sidePrefix)
