import type { Fate } from './fates.ts'

/** How far the bar of a fate reaches towards the model. */
export const reach: Readonly<Record<Fate, number>> = {
  elided: 0.34,
  digested: 0.62,
  moved: 0.76,
  altered: 0.88,
  kept: 1,
  recalled: 1,
}

/** What is drawn later lies over what is drawn before: in a row of pixels the rarer fate is seen. */
export const layers: Readonly<Record<Fate, number>> = {
  elided: 0,
  kept: 1,
  moved: 2,
  digested: 3,
  altered: 4,
  recalled: 5,
}

/** How strong the ribbons of a fate are. */
export const faintness: Readonly<Record<Fate, number>> = {
  kept: 0.17,
  recalled: 0.4,
  digested: 0.5,
  altered: 0.4,
  moved: 0.45,
  elided: 0,
}
