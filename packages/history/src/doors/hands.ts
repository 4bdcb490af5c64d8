// What people change by hand in what a model sees.
export { checkPins, type Hands, pinRoom, withPin } from '../hands.ts'
export { byRequest } from '../log/apply-overlay.ts'
export { applyHands, handsAt, type PlacedHands } from '../log/hand.ts'
