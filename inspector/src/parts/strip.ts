import type { Fate } from './fates.ts'

/** How far the bar of a fate reaches towards the model. */
export const reach: Readonly<Record<Fate, number>> = {
  omitted: 0.34,
  digested: 0.62,
  cleared: 0.68,
  moved: 0.76,
  altered: 0.88,
  kept: 1,
  recalled: 1,
}

/** What is drawn later lies over what is drawn before: in a row of pixels the rarer fate is seen. */
export const layers: Readonly<Record<Fate, number>> = {
  omitted: 0,
  kept: 1,
  cleared: 2,
  moved: 3,
  digested: 4,
  altered: 5,
  recalled: 6,
}

/** How strong the ribbons of a fate are. */
export const faintness: Readonly<Record<Fate, number>> = {
  kept: 0.17,
  recalled: 0.4,
  cleared: 0.45,
  digested: 0.5,
  altered: 0.4,
  moved: 0.45,
  omitted: 0,
}
