/** What the gallery asks the lamp for in a row, so that ten and twenty exchanges can be seen at once. */
export const tenRequests: readonly string[] = [
  'a thunderstorm',
  'a bit slower',
  'make the lightning yellow',
  'let the pulse last 3 seconds',
  'make step 1 violet',
  'a bit faster',
  'add a white flash at the end',
  'make the sparkle white',
  'dim it a little',
  'let the sparkle last 6 seconds',
]

export const twentyRequests: readonly string[] = [
  ...tenRequests,
  'make it blue',
  'make step 2 green',
  'slower',
  'brighter',
  'make step 1 red',
  'let step 2 last 5 seconds',
  'make the sparkle orange',
  'faster',
  'dim it',
  'make it violet',
]
