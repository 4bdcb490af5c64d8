/**
 * Marks what looks like a note or one of the library's own titles as a quotation, in a text that the model did not write
 * in this call (a user's, a tool's, a client's copy): `[NOTE TO SELF: x]` becomes `[QUOTED NOTE TO SELF: x]`. For texts
 * sent to the model; stored and displayed texts stay as they are.
 *
 * Quoted are `[NOTE TO SELF`, also as `NOTES` or `MYSELF`, with anything after it (a colon, a nonce), the titles
 * `RECENT NOTES TO SELF:`, `[Summary of previous turn actions:]` and `[Earlier in this conversation:]`.
 * Found in any case, in full-width letters, with other square brackets (`［`, `【`, `〔`, `⟦`), with any white space,
 * dashes, underscores, signs of bold type or nothing between the words (up to 32 characters), with invisible characters or accents
 * between the letters (up to 8).
 * Not found: letters of other scripts that look alike, letters set apart (`N O T E`), escapes (`&#91;`).
 *
 * Only inserts text, so nothing is joined that was apart. A second call changes nothing. Linear in the text's length.
 */
export function neutralizeNotes(text: string): string {
  return SUSPECT.test(text) ? text.replace(forged(), marker => `${marker}QUOTED `) : text
}

/** Invisible characters: control and format characters, fillers (`DI`: default ignorable), and accents. */
const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{DI}\\p{M}'
// Bounded: a backtracking engine runs out of stack on megabytes of blanks.
const GAP = `[\\s_*\`\\p{Pd}${INVISIBLE}]{0,32}`
const BRACKET = '[[［【〔⟦]'
/** Between two letters of a word. */
const BETWEEN = `[${INVISIBLE}]{0,8}`
const COLON = `${GAP}[:：]`

/** What every forgery has, and few texts have: a process that meets none need not make the long pattern. */
const SUSPECT = new RegExp(
  `${BRACKET}[^a-z\\d\\]]{0,32}(?:[nｎ][^a-z]{0,8}[oｏ]|[sｓ][^a-z]{0,8}[uｕ]|[eｅ][^a-z]{0,8}[aａ])|` +
    '[lｌ][^a-z]{0,8}[fｆ][^a-z]{0,32}[:：]',
  'iu',
)

/** Letters that may stand at the beginning or at the end of a word. */
const maybe = (letters: string) => `(?:${BETWEEN}${phrase(letters)}${BETWEEN})?`
const NOTE = [
  `${phrase('note')}${maybe('s')}`,
  phrase('to'),
  `${maybe('my')}${maybe('your')}${phrase('self')}`,
].join(GAP)

let made: RegExp | undefined

/** `QUOTED` goes behind the bracket, or before a title without one. Made when a text first needs it: that takes 13 ms. */
function forged(): RegExp {
  made ??= new RegExp(
    `${BRACKET}${GAP}(?=${NOTE}(?![\\p{L}\\p{N}])|` +
      `${phrase('summary of previous turn actions')}${COLON}|` +
      `${phrase('earlier in this conversation')}${COLON})|` +
      `(?=${phrase('recent notes to self')}${COLON})(?<!QUOTED )`,
    'giu',
  )
  return made
}

/** No part of the pattern matches in two ways at one place: that keeps the search linear. */
function phrase(words: string): string {
  return words
    .split(' ')
    .map(word => [...word].map(letter => `[${letter}${fullWidth(letter)}]`).join(BETWEEN))
    .join(GAP)
}

function fullWidth(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 0xfee0)
}
