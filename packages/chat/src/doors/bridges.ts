// Prompts of other libraries, made to fit.
export { fitPrompt } from '../bridges/fit-prompt.ts'
