// The errors that we throw, and how an unknown option is refused.
export {
  BadRequestError,
  InvalidMessageError,
  InvalidOptionError,
  NotFoundError,
  type OptionNames,
  refuseUnknown,
  showValue,
  ThroughlineError,
} from '../log/error.ts'
export { nearest } from '../log/nearest.ts'
