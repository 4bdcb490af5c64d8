import type { Card } from './card.ts'

/** A card for tests, with what a test changes of it. */
export const someCard = (changes: Partial<Card> = {}): Card => ({
  kind: 'cut',
  told: {
    seq: 136,
    role: 'user',
    turn: 48,
    text: "Caretaker of the hall. Only he has the key to the cupboard, and he's there Thursdays and Sundays after the service.",
    marks: [[0, 9]],
  },
  asked: {
    turn: 61,
    question: 'When does the caretaker come?',
    answer: "I don't see a caretaker mentioned in our conversation.",
    model: 'qwen3:8b',
  },
  sent: { from: 48, to: 57 },
  left: 58,
  shared: ['caretaker'],
  cures: { window: 8192, policy: 'balanced', pin: 48 },
  context: {
    all: 184,
    sent: 36,
    tokens: 3137,
    window: 4096,
    free: 754,
    policy: 'stable',
    fates: '2k148o34k',
    cut: 151,
  },
  ...changes,
})
