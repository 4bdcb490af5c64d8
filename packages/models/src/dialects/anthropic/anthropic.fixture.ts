type StreamedBlock = Readonly<Record<string, unknown>>

interface ReplyEnding {
  readonly stop?: string
  readonly usage?: Readonly<Record<string, number>>
}

const event = (type: string, value: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`

/** The events of a message of Anthropic with these blocks; texts, thoughts and inputs come in two pieces. */
export function anthropicEvents(
  blocks: readonly StreamedBlock[],
  { stop = 'end_turn', usage = { input_tokens: 7, output_tokens: 3 } }: ReplyEnding = {},
): readonly string[] {
  const { output_tokens, ...read } = usage
  const message = {
    ...{
      id: 'msg_recorded',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
    },
    ...{
      stop_reason: null,
      stop_sequence: null,
      usage: { ...read, output_tokens: 1, service_tier: 'standard' },
    },
  }
  return [
    event('message_start', { message }),
    ...blocks.flatMap((block, index) => [
      event('content_block_start', { index, content_block: { ...block, ...emptied(block) } }),
      ...deltasOf(block).map(delta => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens },
    }),
    event('message_stop', {}),
  ]
}

export const anthropicAnswer = (blocks: readonly StreamedBlock[], ending?: ReplyEnding) => ({
  chunks: anthropicEvents(blocks, ending),
  headers: { 'content-type': 'text/event-stream' },
})

function emptied({ type }: StreamedBlock): StreamedBlock {
  if (type === 'text') return { text: '' }
  if (type === 'thinking') return { thinking: '', signature: '' }
  return type === 'tool_use' ? { input: {} } : {}
}

function deltasOf(block: StreamedBlock): readonly object[] {
  const { type, text, thinking, signature, input } = block
  if (type === 'text') return halves(String(text)).map(half => ({ type: 'text_delta', text: half }))
  if (type === 'tool_use')
    return halves(JSON.stringify(input)).map(half => ({
      type: 'input_json_delta',
      partial_json: half,
    }))
  if (type !== 'thinking') return []
  const thoughts = halves(String(thinking)).map(half => ({
    type: 'thinking_delta',
    thinking: half,
  }))
  return [...thoughts, { type: 'signature_delta', signature }]
}

const halves = (text: string) => [
  text.slice(0, Math.floor(text.length / 2)),
  text.slice(Math.floor(text.length / 2)),
]
