/** A text word by word, with the white space before each: for models that write as a language model does. */
export const toPieces = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? []
