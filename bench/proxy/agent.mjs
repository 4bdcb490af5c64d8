/**
 * A coding agent: it sends a long system prompt, many tools, and all that it has done so far. `next` gives its next request,
 * which goes on with the one before: the model's call and the result of it. After 20 rounds it begins a new conversation, so
 * that its requests have about the given bytes: half of them for prompt and tools.
 */
export function agentOf(bytes, seed) {
  const system = `You are a coding agent. ${textOf(bytes / 4, 'rule')}`
  const tools = Array.from({ length: 20 }, (_, n) => toolOf(n, bytes / 80))
  const said = Array.from({ length: 20 }, (_, n) => `word${n} `).join('')
  let messages = []
  let talks = 0
  return function next() {
    if (messages.length === 0 || messages.length > 40) {
      talks += 1
      messages = [
        { role: 'system', content: system },
        {
          role: 'user',
          content: `Task ${talks} of ${seed}: mend the build. ${textOf(bytes / 4, 'file')}`,
        },
      ]
    } else {
      const call = {
        id: 'call_1',
        type: 'function',
        function: { name: 'tool_0', arguments: '{"path":"a.ts"}' },
      }
      messages.push(
        { role: 'assistant', content: said, tool_calls: [call] },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          content: textOf(bytes / 80, `line ${messages.length}`),
        },
      )
    }
    return { model: 'agent', messages: [...messages], tools }
  }
}

function toolOf(n, bytes) {
  const properties = { path: { type: 'string', description: textOf(bytes / 2, 'path') } }
  const description = `Tool ${n}. ${textOf(bytes / 2, 'use')}`
  return {
    type: 'function',
    function: {
      name: `tool_${n}`,
      description,
      parameters: { type: 'object', properties, required: ['path'] },
    },
  }
}

/** A text of words that differ, as those of a prompt do. */
function textOf(length, word) {
  let text = ''
  for (let n = 0; text.length < length; n++) text += `${word} ${n * 7919} says what to do with it, `
  return text
}
