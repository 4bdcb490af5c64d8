import type { Context, FitOptions } from '../context/fit.ts'
import type { Fate, Receipt } from '../context/receipt.ts'
import type { Message, MessageLike, ToolResult } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { markerText } from '../log/texts.ts'
import { estimate } from '../tokens/estimate.ts'

/** Checks a context against its conversation, without using the code that made it. Throws an Error that says what is wrong. */
export function assertContext<M extends MessageLike>(
  messages: readonly M[],
  options: FitOptions,
  context: Context<M>,
): void {
  const input = messages.map(readMessage)
  const output = context.messages.map(readMessage)
  assertRoom(output, options, context)
  assertReceipt(input, messages, context, options.overflow === 'trim')
  assertProtected(input, context)
  assertOrder(messages, input, context)
  assertRounds(output)
  if (options.shape === 'alternating') assertAlternating(output)
  const first = input.findIndex(message => message.role === 'user')
  const hasMarker =
    input[first + 1]?.role === 'system' && input[first + 1]?.text === (options.marker ?? markerText)
  const markers = textsOf(context).filter(({ part }) => part === 'marker')
  check(markers.length <= (first >= 0 && hasMarker ? 0 : 1), 'a second marker')
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem)
}

function assertRoom(
  output: readonly Message[],
  options: FitOptions,
  { tokens, receipt }: Context,
): void {
  const { count = estimate(), window, reserve = 0, tools = [], overflow } = options
  const sum = output.reduce((total, message) => total + count.message(message), count.prompt ?? 0)
  const counted = sum + (tools.length > 0 ? count.tools(tools) : 0)
  check(counted === tokens, `the context has ${counted} tokens, it says ${tokens}`)
  const parts = Object.values(receipt.parts).reduce((total, part) => total + part, 0)
  check(parts === tokens, `the parts add up to ${parts}, not ${tokens}`)
  check(receipt.capacity <= window - reserve, 'the capacity is larger than window - reserve')
  check(receipt.over === Math.max(0, tokens - receipt.capacity), `over is ${receipt.over}`)
  check(
    receipt.over === 0 || overflow === 'keep',
    `${tokens} tokens for a capacity of ${receipt.capacity}`,
  )
}

function assertReceipt<M extends MessageLike>(
  input: readonly Message[],
  messages: readonly M[],
  { messages: sent, receipt }: Context<M>,
  trims: boolean,
): void {
  const lines = receipt.entries.length
  check(lines === input.length, `${lines} lines for ${input.length} messages`)
  const counts = new Map<unknown, number>()
  for (const message of sent) counts.set(message, (counts.get(message) ?? 0) + 1)
  for (const [seq, entry] of receipt.entries.entries()) {
    check(
      entry.seq === seq && entry.role === input[seq]!.role,
      `line ${seq} speaks of ${entry.seq}`,
    )
    check(entry.rule !== '' && entry.why !== '', `line ${seq} gives no reason`)
    if (entry.fate !== 'kept') continue
    const left = counts.get(messages[seq]) ?? 0
    check(left > 0, `message ${seq} is kept, but its object was not sent`)
    counts.set(messages[seq], left - 1)
  }
  const added = sent.filter(
    message => (counts.get(message) ?? 0) > 0 && messages.includes(message as M),
  )
  check(added.length === 0, 'a message was sent that the receipt does not know as kept')
  assertSent(sent, receipt, trims)
}

/** Every message of the context is told once, and every fate is that of the message that has it. */
function assertSent(sent: readonly MessageLike[], receipt: Receipt, trims: boolean): void {
  check(
    receipt.sent.length === sent.length,
    `${receipt.sent.length} lines for ${sent.length} sent messages`,
  )
  const sentAs = new Map<number, readonly Fate[]>()
  const tell = (seq: number, fates: readonly Fate[]) => {
    // A message that is sent as one line may be quoted whole in a block.
    const isQuoted = fates.includes('recalled') && sentAs.get(seq)?.includes('cleared')
    check(!sentAs.has(seq) || isQuoted === true, `message ${seq} is told twice`)
    sentAs.set(seq, fates)
  }
  for (const { seqs } of receipt.sent)
    for (const seq of seqs) tell(seq, ['kept', 'altered', 'cleared'])
  for (const { place, part, standsFor, text } of textsOf({ receipt })) {
    const fate = part === 'recall' ? 'recalled' : part === 'notes' ? 'moved' : 'digested'
    for (const seq of standsFor) tell(seq, [fate])
    const isThere = text === undefined || readMessage(sent[place]!, place).text.includes(text)
    check(trims || isThere, `an added text is not at ${place}`)
  }
  for (const { seq, fate } of receipt.entries)
    check(
      (sentAs.get(seq) ?? ['omitted']).includes(fate),
      `message ${seq} is ${fate}, but sent otherwise`,
    )
  let next = receipt.entries[0]?.seq ?? 0
  for (const { first, last, fate } of receipt.stretches) {
    check(first === next && last >= first, `the stretch at ${first} does not follow ${next - 1}`)
    for (; next <= last; next++)
      check(receipt.entries[next - receipt.entries[0]!.seq]!.fate === fate, `${next} has two fates`)
  }
  check(next === (receipt.entries.at(-1)?.seq ?? -1) + 1, 'the stretches do not reach the end')
}

const textsOf = ({ receipt }: Pick<Context, 'receipt'>) =>
  receipt.sent.flatMap((message, place) =>
    [message, ...(message.joined ?? [])].map(text => ({ ...text, place })),
  )

function assertProtected(input: readonly Message[], { receipt }: Context): void {
  const isSent = (seq: number) => ['kept', 'altered'].includes(receipt.entries[seq]?.fate ?? '')
  const latest = input.findLastIndex(message => message.role === 'user')
  const firstSpoken = input.findIndex(message => message.role !== 'system')
  let isLaterSent = false
  for (const [seq, message] of [...input.entries()].reverse()) {
    if (message.role !== 'system') continue
    // One that stands in the conversation may age, as long as a later one is sent.
    check(isSent(seq) || (isLaterSent && seq > firstSpoken), `system message ${seq} was not sent`)
    isLaterSent ||= isSent(seq)
  }
  const first = input.findIndex(message => message.role === 'user')
  if (first >= 0) check(isSent(first), 'the first user message was not sent')
  if (latest >= 0) check(isSent(latest), 'the latest user message was not sent')
  const round = input.findLastIndex(message => message.calls.length > 0)
  if (round > latest) check(isSent(round), 'the last tool round was not sent')
}

function assertOrder<M extends MessageLike>(
  messages: readonly M[],
  input: readonly Message[],
  { messages: sent, receipt }: Context<M>,
): void {
  if (new Set(messages).size < messages.length) return
  const place = new Map(sent.map((message, index) => [message as unknown, index]))
  let last = -1
  for (const { seq, fate } of receipt.entries) {
    const { role } = input[seq]!
    // Results stand in the order of their calls.
    if (fate !== 'kept' || role === 'system' || role === 'tool') continue
    const at = place.get(messages[seq])!
    check(at > last, `message ${seq} is out of order`)
    last = at
  }
}

function assertAlternating(output: readonly Message[]): void {
  const [first, ...rest] = output
  const conversation = first?.role === 'system' ? rest : output
  const isInside = conversation.some(message => message.role === 'system')
  check(!isInside, 'a system message in the middle')
  let expected = 'user'
  for (const [place, { role, calls }] of conversation.entries()) {
    if (role === 'tool') continue
    if (calls.length > 0) {
      check(place > 0, 'a round before the first user message')
      check(expected === 'assistant', `a round at ${place} where a user message is due`)
      continue
    }
    check(role === expected, `${role} at ${place}, ${expected} is due`)
    expected = role === 'user' ? 'assistant' : 'user'
  }
}

/** Checks, without the library's own matching, that calls have their results before other messages follow. */
export function assertRounds(output: readonly Message[]): void {
  let caller = -1
  let results: ToolResult[] = []
  const end = (isOpen: boolean) => {
    const { calls = [] } = output[caller] ?? {}
    check(
      results.length <= calls.length || calls.length === 0,
      `more results than calls behind ${caller}`,
    )
    if (isOpen) return
    check(results.length >= calls.length, `a call at ${caller} without a result`)
    const answered = new Set(results.map(({ callId }) => callId))
    const missing = calls.find(
      ({ id }) => id !== undefined && !answered.has(id) && !answered.has(undefined),
    )
    check(!missing, `no result for ${missing?.id}`)
  }
  for (const [place, message] of output.entries()) {
    if (message.role !== 'tool') {
      end(false)
      caller = place
      results = []
    } else
      check(!!output[caller]?.calls.length, `the tool result at ${place} stands behind no call`)
    for (const result of message.results) results.push(result)
  }
  end(true)
}
