/** The agent: five tools, and what the model is told. It keeps nothing between two requests. */
import { type Model, ollama } from 'throughline/models'
import { ruleModel } from './rule-model.ts'
import { experiment, hypotheses, preview, variants } from './states.ts'
import { tools } from './tools.ts'

export const openModel = (name?: string, host?: string): Model =>
  name ? ollama({ model: name, ...(host && { host }) }) : ruleModel()

const system = `You plan A/B tests with your tools: hypotheses, then variants, then a preview.
After a preview, ask the user to confirm it. Create the experiment only when the user has said yes in a later message.
A question, a no, "wait" or a condition is no yes. What is there already, also the id of the experiment, get_experiment says.
If a tool fails, say why, and do what its error asks for. Answer in one or two sentences: the page shows the results.`

/** The options of both ways to answer. */
export const agent = {
  tools,
  system,
  // The states that tools read; named so that they are found in very long conversations too.
  state: [hypotheses, variants, preview, experiment],
}
