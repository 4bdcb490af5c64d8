// What tests of other packages share with those of this one.
export { addedTexts } from '../context/added-texts.fixture.ts'
export { homePrompt, linesInView } from '../context/prompt/home-prompt.fixture.ts'
export {
  experiment,
  hypothesis,
  jobIds,
  preferences,
  someHypothesis,
  someVariants,
  variants,
} from '../state/experiment.fixture.ts'
export { assistant, call, dialects, round, user } from '../state/rounds.fixture.ts'
