/** Something that the person at the terminal can mend: one line, no stack. */
export class UserError extends Error {}
