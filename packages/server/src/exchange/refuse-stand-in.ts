import { findStandIn, type MessageLike } from '@throughline/core/messages'
import { parseJson } from '@throughline/core/values'
import { ModelError, type ModelPart } from '@throughline/models/model'

/**
 * Refuses a call of a client's tool that holds a mark of the prompt, such as `[Not the result: #4 …]`: the tool would write it in
 * place of the text. A stream may have passed pieces of the arguments, but never the piece that ends the call's message.
 */
export function refuseStandIn(
  { name, arguments: json }: Extract<ModelPart, { type: 'tool-call' }>,
  prompt: readonly MessageLike[],
): void {
  // Written anew: any letter may stand in the JSON as an escape.
  const mark = findStandIn(JSON.stringify(parseJson(json) ?? json))
  if (mark === undefined || !JSON.stringify(prompt).includes(mark)) return
  throw new ModelError(
    'stand_in_copied',
    `The model called ${name} with ${mark}, which only stands for a text that it was not sent, so the call was not passed on: ` +
      'ask again, or give the model a larger window.',
  )
}
