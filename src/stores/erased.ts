/** The payload of an entry whose text was erased begins with this. */
export const erasedPrefix = '{"erased":true'

export const isErased = ({ payload }: { readonly payload: string }): boolean =>
  payload.startsWith(erasedPrefix)
