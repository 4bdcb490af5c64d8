/** An error that the user at the terminal can mend: shown as one line, without a stack. */
export class UserError extends Error {}
