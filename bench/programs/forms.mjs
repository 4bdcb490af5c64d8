/**
 * The three forms in which the programs ask: what of a body the model reads, which calls and results are in it, and how a reply
 * is written.
 */
export const forms = {
  '/v1/messages': {
    parts: ({ tools = [], system = [], messages }) => [...tools, system, ...messages],
    limit: ({ max_tokens }) => max_tokens,
    calls: ({ messages }) =>
      blocksOf(messages)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => id),
    results: ({ messages }) =>
      blocksOf(messages)
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id }) => tool_use_id),
    refusal: (tokens, most) => ({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: `prompt is too long: ${tokens} tokens > ${most} maximum`,
      },
    }),
    *events({ id, text, call, tokens, model }) {
      const usage = { input_tokens: tokens, output_tokens: 40 }
      const content = [
        { type: 'text', text },
        ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
      ]
      const stop_reason = call ? 'tool_use' : 'end_turn'
      const message = {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content,
        stop_reason,
        stop_sequence: null,
        usage,
      }
      yield { whole: message }
      yield { type: 'message_start', message: { ...message, content: [], stop_reason: null } }
      for (const [index, block] of content.entries()) {
        const isText = block.type === 'text'
        const content_block = isText ? { ...block, text: '' } : { ...block, input: {} }
        const delta = isText
          ? { type: 'text_delta', text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
        yield { type: 'content_block_start', index, content_block }
        yield { type: 'content_block_delta', index, delta }
        yield { type: 'content_block_stop', index }
      }
      yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }
      yield { type: 'message_stop' }
    },
  },
  '/v1/responses': {
    parts: ({ tools = [], instructions = '', input }) => [...tools, instructions, ...input],
    limit: ({ max_output_tokens }) => max_output_tokens,
    calls: ({ input }) =>
      input.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id),
    results: ({ input }) =>
      input.filter(({ type }) => type === 'function_call_output').map(({ call_id }) => call_id),
    refusal: openAiRefusal,
    *events({ id, text, call, tokens, model }) {
      const output = [
        {
          id: `msg_${id}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
        ...(call
          ? [
              {
                id: `fc_${id}`,
                type: 'function_call',
                status: 'completed',
                call_id: call.id,
                name: call.name,
                arguments: JSON.stringify(call.input),
              },
            ]
          : []),
      ]
      const usage = { input_tokens: tokens, output_tokens: 40, total_tokens: tokens + 40 }
      const response = {
        id: `resp_${id}`,
        object: 'response',
        created_at: 1,
        model,
        status: 'completed',
        output,
        usage,
      }
      yield { whole: response }
      yield {
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [], usage: null },
      }
      for (const [output_index, item] of output.entries()) {
        yield {
          type: 'response.output_item.added',
          output_index,
          item: { ...item, status: 'in_progress' },
        }
        if (item.type === 'message')
          yield {
            type: 'response.output_text.delta',
            output_index,
            content_index: 0,
            item_id: item.id,
            delta: text,
          }
        yield { type: 'response.output_item.done', output_index, item }
      }
      yield { type: 'response.completed', response }
    },
  },
  '/v1/chat/completions': {
    parts: ({ tools = [], messages }) => [...tools, ...messages],
    limit: ({ max_tokens, max_completion_tokens, n_predict }) =>
      n_predict === 0 ? 1 : (max_tokens ?? max_completion_tokens),
    calls: ({ messages }) =>
      messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)),
    results: ({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id),
    refusal: openAiRefusal,
    *events({ id, text, call, tokens, model }) {
      const usage = { prompt_tokens: tokens, completion_tokens: 40, total_tokens: tokens + 40 }
      const calls = call && [
        {
          index: 0,
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.input) },
        },
      ]
      const finish_reason = call ? 'tool_calls' : 'stop'
      const base = { id, created: 1, model }
      const message = { role: 'assistant', content: text, ...(calls && { tool_calls: calls }) }
      const choice = { index: 0, message, finish_reason }
      yield { whole: { ...base, object: 'chat.completion', choices: [choice], usage } }
      const chunk = (delta, reason = null) => ({
        ...base,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
      })
      yield chunk({ role: 'assistant', content: text })
      if (calls) yield chunk({ tool_calls: calls })
      yield chunk({}, finish_reason)
      yield { ...base, object: 'chat.completion.chunk', choices: [], usage }
    },
  },
}

function openAiRefusal(tokens, most) {
  const message = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens.`
  return {
    error: { message, type: 'invalid_request_error', code: 'context_length_exceeded', param: null },
  }
}

function blocksOf(messages) {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
}
