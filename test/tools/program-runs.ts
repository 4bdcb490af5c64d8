import { anthropicUpstream, openaiUpstream } from '@throughline/server/upstream/model-servers'
import type { Upstream } from '@throughline/server/upstream/upstream'

type Fields = Readonly<Record<string, unknown>>

const nouns =
  'amber anchor barge beacon birch bollard brass breeze bridge buoy cable canvas cedar chart cliff copper coral crane dock dune eddy ferry flint galley gull hatch hemp hull island jetty keel lantern ledger lock mast moor oar otter paddle pebble pilot pine quay rail reed reef rope rudder sail salt shoal skiff slate spar stern tar tide timber trawler wharf willow winch'.split(
    ' ',
  )

/** One step of the model: what it says, and the call that it makes, as `npm run bench -- programs` has it done. */
interface Step {
  readonly text: string
  readonly kind: 'list' | 'read' | 'edit' | 'fact'
  readonly part: number
}

/** A program at work: what it sends first, and what each step adds to its list. Sizes are as recorded, texts are not the program's. */
export interface ProgramRun {
  readonly name: string
  readonly path: string
  readonly list: 'messages' | 'input'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Fields
  readonly first: readonly object[]
  upstream(url: string, window: number): Upstream
  /** The reply in the program's list, the body in which the model sends it, and the result of its call. */
  reply(step: Step, id: string): readonly object[]
  answer(reply: readonly object[], tokens: number): Fields
  result(step: Step, id: string): readonly object[]
}

export const plan = `Plan: close each part of the register, keep the order of its lines, then write the keys. ${words(250, 1)}`

/** 24 files of 1 to 8 kB are read and edited, 19 times an earlier one is read again, and then twelve keys are written. */
export const steps: readonly Step[] = [
  { text: plan, kind: 'list', part: 0 },
  ...Array.from({ length: 24 }, (_, at): readonly Step[] => [
    { text: `I read part ${at + 1} and look for its status line.`, kind: 'read', part: at + 1 },
    {
      text: `Part ${at + 1} is open. I close it and leave the rest as it is.`,
      kind: 'edit',
      part: at + 1,
    },
    ...(at < 5
      ? []
      : [
          {
            text: `Part ${at + 1} names an earlier one.`,
            kind: 'read',
            part: at - ((at * 3) % 5),
          } as const,
        ]),
  ]).flat(),
  ...Array.from(
    { length: 12 },
    (_, at): Step => ({ text: 'The key goes there.', kind: 'fact', part: at }),
  ),
]

const request =
  'Set the status of each part from open to closed, then write the keys. Make a plan first.'
const fileOf = ({ part }: Step) => `/home/me/register/parts/part-${part}.txt`
const textOf = ({ part }: Step) => words(1000 + ((part * 3089) % 7001), part)
const closing = { old: 'register\nstatus: open', new: 'register\nstatus: closed' }
const shell = ({ kind, part }: Step) =>
  kind === 'list' ? 'ls parts' : `echo key-${part} >> keys.txt`

export const programRuns: readonly ProgramRun[] = [
  {
    name: 'Claude Code 2.1',
    path: '/v1/messages',
    list: 'messages',
    headers: { 'x-claude-code-session-id': 'run', 'user-agent': 'claude-cli/2.1' },
    body: {
      max_tokens: 32_000,
      system: [74, 62, 5576].map((size, at) => ({ type: 'text', text: words(size, at) })),
      tools: tools(
        [5244, 3715, 964, 1151, 1919, 2177, 4886, 1803, 1439, 5688, 204, 639],
        given => ({
          input_schema: {},
          ...given,
        }),
      ),
    },
    first: [
      {
        role: 'user',
        content: [577, request].map(text => ({ type: 'text', text: filled(text, 3) })),
      },
      { role: 'system', content: words(9054, 4) },
    ],
    upstream: (url, window) => anthropicUpstream({ url, window }),
    reply: (step, id) => {
      const input =
        step.kind === 'read'
          ? { file_path: fileOf(step) }
          : step.kind === 'edit'
            ? {
                replace_all: false,
                file_path: fileOf(step),
                old_string: closing.old,
                new_string: closing.new,
              }
            : { command: shell(step), description: 'A command' }
      const name = { read: 'Read', edit: 'Edit', list: 'Bash', fact: 'Bash' }[step.kind]
      const content = [
        { type: 'text', text: step.text },
        { type: 'tool_use', id, name, input },
      ]
      return [{ role: 'assistant', content }]
    },
    answer: ([reply], tokens) => ({
      ...{ id: 'msg', type: 'message', model: 'm', stop_reason: 'tool_use', stop_sequence: null },
      ...reply,
      usage: { input_tokens: tokens, output_tokens: 40 },
    }),
    result: (step, id) => {
      const content = {
        read: textOf(step),
        edit: words(161, 5),
        list: words(287, 6),
        fact: 'no output',
      }
      return [
        {
          role: 'user',
          content: [{ tool_use_id: id, type: 'tool_result', content: content[step.kind] }],
        },
      ]
    },
  },
  {
    name: 'Codex 0.169',
    path: '/v1/responses',
    list: 'input',
    headers: { 'thread-id': 'run', originator: 'codex_exec' },
    body: {
      store: false,
      tools: tools([1564, 784, 1355, 371, 9925, 281, 760, 2172], given => ({
        type: 'function',
        ...given,
      })),
    },
    first: [
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: words(16_979, 7) }],
      },
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: words(2500, 8) }],
      },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: `<environment_context>\n${words(350, 9)}` }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: request }] },
    ],
    upstream: (url, window) => openaiUpstream({ url, window, responses: 'native' }),
    reply: (step, call_id) => {
      const patch = `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${fileOf(step)}\n@@\n-status: open\n+status: closed\n*** End Patch\nEOF`
      const cmd =
        step.kind === 'read' ? `cat ${fileOf(step)}` : step.kind === 'edit' ? patch : shell(step)
      const common = { status: 'completed', id: `it_${call_id}` }
      const content = [{ type: 'output_text', text: step.text, annotations: [] }]
      return [
        { type: 'message', ...common, role: 'assistant', content },
        {
          ...{
            type: 'function_call',
            ...common,
            id: `fc_${call_id}`,
            name: 'exec_command',
            call_id,
          },
          arguments: JSON.stringify({ cmd }),
        },
      ]
    },
    answer: (output, tokens) => ({
      ...{ id: 'resp', object: 'response', created_at: 1, model: 'm', status: 'completed', output },
      usage: { input_tokens: tokens, output_tokens: 40, total_tokens: tokens + 40 },
    }),
    result: (step, call_id) => {
      const head = `Chunk ID: ${call_id}\nWall time: 0.0000 seconds\nProcess exited with code 0\nOutput:\n`
      const text = { read: textOf(step), edit: words(70, 5), list: words(287, 6), fact: '' }[
        step.kind
      ]
      return [
        { type: 'function_call_output', id: `fco_${call_id}`, call_id, output: `${head}${text}` },
      ]
    },
  },
  {
    name: 'opencode 1.18',
    path: '/v1/chat/completions',
    list: 'messages',
    headers: { 'x-session-id': 'run', 'user-agent': 'opencode/1.18' },
    body: {
      max_tokens: 4096,
      tools: tools([5275, 1958, 1114, 1183, 1734, 676, 3856, 2686, 1293, 1026], given => ({
        type: 'function',
        function: given,
      })),
    },
    first: [
      { role: 'system', content: words(9565, 7) },
      { role: 'user', content: request },
    ],
    upstream: (url, window) => openaiUpstream({ url, window }),
    reply: (step, id) => {
      const given =
        step.kind === 'read'
          ? { filePath: fileOf(step) }
          : step.kind === 'edit'
            ? { filePath: fileOf(step), oldString: closing.old, newString: closing.new }
            : { command: shell(step), description: 'A command' }
      const name = { read: 'read', edit: 'edit', list: 'bash', fact: 'bash' }[step.kind]
      const call = { id, type: 'function', function: { name, arguments: JSON.stringify(given) } }
      return [{ role: 'assistant', content: step.text, tool_calls: [call] }]
    },
    answer: ([message], tokens) => ({
      ...{ id: 'chatcmpl', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: tokens, completion_tokens: 40, total_tokens: tokens + 40 },
    }),
    result: (step, tool_call_id) => {
      const content = {
        read: textOf(step),
        edit: 'Edit applied.',
        list: words(288, 6),
        fact: '(no output)',
      }
      return [{ role: 'tool', tool_call_id, content: content[step.kind] }]
    },
  },
]

/** Tools whose JSON has about these sizes. */
function tools(sizes: readonly number[], write: (given: Fields) => object): readonly object[] {
  return sizes.map((size, at) => {
    const empty = {
      name: `tool_${at}`,
      description: '',
      parameters: { type: 'object', properties: {} },
    }
    return write({ ...empty, description: words(size - JSON.stringify(write(empty)).length, at) })
  })
}

function filled(text: number | string, seed: number): string {
  return typeof text === 'number' ? words(text, seed) : text
}

/** A text of this size, in lines, with words of its own. */
function words(size: number, seed: number): string {
  const noun = (n: number) => nouns[n % nouns.length]
  let text = ''
  for (let n = 1; text.length < size; n++)
    text += `The ${noun(seed * 31 + n * 7)} beside the ${noun(seed * 17 + n * 11)} of part ${seed} belongs to the ${noun(n * 13)} in row ${n}.\n`
  return text.slice(0, Math.max(0, size))
}
