/** Ideas from a short list, by the address of the page: a stand-in for whatever finds them in your application. */
export interface Idea {
  readonly title: string
  /** What the button says now. */
  readonly now: string
  readonly instead: string[]
}

export function ideasFor(url: string): Idea[] {
  const { pathname } = new URL(url)
  const found = lists.find(([word]) => pathname.includes(word))
  return found ? [...found[1]] : [...anywhere]
}

const anywhere: readonly Idea[] = [
  {
    title: 'A button that says what happens next is pressed more often',
    now: 'Submit',
    instead: ['Continue to step 2', 'Save and continue'],
  },
  {
    title: 'A button that says what it costs takes away doubt',
    now: 'Sign up',
    instead: ['Sign up for free'],
  },
]

const lists: readonly (readonly [word: string, ideas: readonly Idea[]])[] = [
  [
    'checkout',
    [
      {
        title: 'A button that says what happens next is pressed more often',
        now: 'Submit',
        instead: ['Place my order', 'Pay 24.90 now'],
      },
      {
        title: 'Saying that returns are free takes away doubt',
        now: 'Buy',
        instead: ['Buy, return for free'],
      },
      {
        title: 'A guest who need not sign up buys more',
        now: 'Sign up to buy',
        instead: ['Buy as a guest', 'Buy without an account'],
      },
    ],
  ],
  [
    'pricing',
    [
      {
        title: 'A price for a year feels smaller by the month',
        now: '96 a year',
        instead: ['8 a month, paid yearly'],
      },
      {
        title: 'A trial that needs no card is begun more often',
        now: 'Start trial',
        instead: ['Try it, no card needed', 'Try 30 days for nothing'],
      },
    ],
  ],
]
