/** The payload of an entry whose text was erased begins with this. */
export const erasedPrefix = '{"erased":true'

export const isErased = ({ payload }: { readonly payload: string }): boolean =>
  payload.startsWith(erasedPrefix)

/** Said where something was erased or deleted and a store has a `residue`. */
export const residueNote =
  'Gone from the log; the file is cleared when the other processes that read it have ended.'
