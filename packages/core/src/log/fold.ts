/** A text as it is compared: small letters without accents, as not everyone types them. */
export const fold = (text: string): string =>
  text.toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC')

/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs and hamzas of Arabic. */
const accents = /[\u0300-\u036f\u064b-\u065f]/g
