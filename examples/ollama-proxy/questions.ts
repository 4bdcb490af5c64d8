/** Questions about the project chat whose answers were said once, most of them long ago. */
export interface Question {
  readonly text: string
  /** The message that answers it, counted from 1. */
  readonly said: number
  /** Words of that message. A model that does not see them must guess. */
  readonly words: string
}

export const questions: readonly Question[] = [
  { text: 'Which grid reference does Priya want for the fence?', said: 21, words: 'SO 417 283' },
  {
    text: 'After what time does nobody get a text in the evening?',
    said: 17,
    words: 'nobody gets a text after half past nine',
  },
  { text: 'What is a night called after?', said: 15, words: 'the evening it starts on' },
  {
    text: 'When two people text a count for the same bucket, who wins?',
    said: 171,
    words: 'the latest text wins',
  },
  { text: 'How old is Tobi?', said: 25, words: "he's 14" },
  {
    text: 'What does the plan of the SIM with unlimited texts cost?',
    said: 237,
    words: '£5 a month',
  },
  { text: 'What did Wilf hang the sensor above?', said: 127, words: 'above the vent' },
  { text: 'Who has the key to the cupboard?', said: 137, words: 'Only he has the key' },
  { text: 'When are the phone numbers erased?', said: 43, words: 'Erase them on 1 May' },
  { text: 'What does it say on the USB stick of Gethin?', said: 290, words: 'it says FROG' },
  { text: 'How much RAM has the box in the parish hall?', said: 2, words: '1 GB of RAM' },
  {
    text: 'What did Maureen say about the five degrees?',
    said: 521,
    words: 'five degrees as a present',
  },
  // Asked in other words than those of the answer: harder to find, for people too.
  { text: 'What do I want first in an answer?', said: 11, words: 'always give the command first' },
  { text: 'Why was the gateway given up?', said: 228, words: 'It always goes WHEN IT RAINS' },
  { text: 'How are newts named in the season file?', said: 426, words: 'Lissotriton sp.' },
]
