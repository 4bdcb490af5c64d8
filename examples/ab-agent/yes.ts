import { bareText, isNegated, isQuestion, wordsIn } from '../shared/understanding.ts'

/** Sentences that say yes to what was shown, each of them alone. */
const yes =
  /^(?:yes|yep|yeah|yup|sure|confirm|confirmed|i confirm|go ahead|go for it|do it|do so|ship it|launch it|launch|start it|run it|create it|create|make it so|ja|jawohl|gerne|mach das|mach es|erstellen|leg los|oui|d'accord|vas y|allez y|crée le|lance le|sí|adelante)$/u

/** Words that may stand beside a yes and take nothing of it away. */
const beside = new Set(
  `create start run launch confirm do it this that the an a experiment test preview as shown exactly like is just please now again once more looks good fine
  great perfect and then go ahead ship i so right correct yes yep sure ok okay thanks thank you let's absolutely definitely of course erstelle das es experiment
  bitte jetzt so passt gut lance crée le la l'expérience comme ça me va c'est bon parfait`.split(
    /\s+/,
  ),
)

/** Whether a text is a whole yes: it says so, and says nothing else. A question, a no, a condition and a mere "looks good" are none. */
export function isWholeYes(text: string): boolean {
  if (text.includes('?') || isNegated(text) || isQuestion(text)) return false
  const words = wordsIn(text)
  // "Yes" alone is a courtesy, so it is looked for in all words.
  const parts = [...text.split(/[.,;!\n–—-]| and /u), bareText(text), words.join(' ')]
  const saysSo = parts.some(part => yes.test(part.trim().toLowerCase().replaceAll('’', "'")))
  const isOrder =
    /\b(?:yes|ja|oui|sí|confirm)\b|\b(?:create|launch|start|run|ship|erstelle|crée|lance) (?:it|this|that|the|das|le|l')/u.test(
      words.join(' '),
    )
  return (
    (saysSo || isOrder) &&
    words.every(word => beside.has(word) || yes.test(word) || doing.has(word))
  )
}

const doing = new Set(
  "for make los leg mach gerne vas allez y adelante d'accord i confirmed expérience".split(' '),
)
