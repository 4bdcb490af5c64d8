/** The payload of an entry whose text was erased begins with this. */
export const erasedPrefix = '{"erased":true'

/** So begins the payload of an entry from which only words of another message were erased. */
const partPrefix = `${erasedPrefix},"part":true`

export const isErased = ({ payload }: { readonly payload: string }): boolean =>
  payload.startsWith(erasedPrefix) && !payload.startsWith(partPrefix)
