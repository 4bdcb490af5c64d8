import { TokenLimiterProcessor } from '@mastra/core/processors'
import { windowTokens } from './conversation.mjs'

export const mastra = [limiting('best-fit'), limiting('contiguous')]

/**
 * An agent calls `processLLMRequest` with the provider's prompt before each model call. Both modes count with Mastra's
 * own estimate: the option for another counter is for its third mode, which cuts the stored memory instead.
 * What the agent does to make the prompt from its stored messages is not measured.
 */
function limiting(trimMode) {
  const limiter = new TokenLimiterProcessor({ limit: windowTokens, trimMode })
  return {
    name: `mastra TokenLimiter ${trimMode}`,
    start(history) {
      const prompt = history.map(toPrompt)
      return async turn => {
        prompt.push(...turn.map(toPrompt))
        // `processLLMRequest` returns undefined if nothing has to be left out.
        const result = await limiter.processLLMRequest({ prompt })
        return (result?.prompt ?? prompt).length
      }
    },
  }
}

function toPrompt({ role, content }) {
  return role === 'system'
    ? { role, content }
    : { role, content: [{ type: 'text', text: content }] }
}
