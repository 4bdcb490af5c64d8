/** The payload of an entry whose text was erased begins with this. */
export const erasedPrefix = '{"erased":true'

/** So begins the payload of an entry from which only words of another message were erased. */
const partPrefix = `${erasedPrefix},"part":true`

export const isErased = ({ payload }: { readonly payload: string }): boolean =>
  payload.startsWith(erasedPrefix) && !payload.startsWith(partPrefix)

/** Said where something was erased or deleted and a store has a `residue`. */
export const residueNote =
  'Gone from the log; the file is cleared when the other processes that read it have ended.'
