import { createNoteScanner, splitNote } from 'throughline/notes'

const scanner = createNoteScanner()
const shown = scanner.push('Done.\n\n[NO') + scanner.push('TE TO SELF: I added the footer.]')
console.log(shown, scanner.end().note, splitNote('Hi. [NOTE TO SELF: be brief]').visible)
// prints: Done. I added the footer. Hi.
