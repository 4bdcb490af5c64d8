// Draws why an answer forgot, for the page as for the command line.
export { type Card, cardText, cardWords } from '../card/card.ts'
export { drawCard } from '../card/draw-card.ts'
