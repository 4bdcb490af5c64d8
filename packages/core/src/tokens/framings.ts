import { type Framing, genericFraming, noFraming } from './framing.ts'

/** Framings by model family: marks, roles and newlines count 1, sentences as in o200k; the larger number where versions differ. */
export const framings = {
  generic: genericFraming,
  none: noFraming,

  /** `<|im_start|>user<|im_sep|>…<|im_end|>`, reply alike. Calls: ` to=functions.name`. Schemas: TypeScript, less than JSON. */
  openai: { name: 'openai', message: 4, call: 8, result: 4, tool: 8, tools: 12, prompt: 3 },

  /**
   * `<|im_start|>user\n…<|im_end|>\n`, reply `<|im_start|>assistant\n` and, when Qwen must not think, an empty
   * `<think>` block. Calls `<tool_call>\n{"name": "…", "arguments": …}\n</tool_call>\n`, results in
   * `<tool_response>`, tools between `<tools>` after a page of instructions. Qwen 2.5 adds a system prompt of 21
   * tokens when there is none.
   */
  chatml: { name: 'chatml', message: 5, call: 15, result: 9, tool: 1, tools: 76, prompt: 7 },

  /**
   * `<|start_header_id|>user<|end_header_id|>\n\n…<|eot_id|>`, begins with `<|begin_of_text|>` and, since 3.1, a
   * system header with `Cutting Knowledge Date: …\nToday Date: …\n\n`. Calls `{"name": "…", "parameters": …}`,
   * results with the role `ipython`.
   */
  llama3: { name: 'llama3', message: 5, call: 10, result: 2, tool: 1, tools: 58, prompt: 30 },

  /** `<start_of_turn>user\n…<end_of_turn>\n`, begins with `<bos>`, reply `<start_of_turn>model\n`. Tools as ChatML. */
  gemma: { name: 'gemma', message: 5, call: 15, result: 9, tool: 1, tools: 76, prompt: 4 },

  /**
   * `[INST]…[/INST]` and `…</s>`, with a blank in the older ones; begins with `<s>`. Calls
   * `[TOOL_CALLS][{"name": "…", "arguments": …, "id": "…"}]</s>`, results
   * `[TOOL_RESULTS]{"content": …, "call_id": "…"}[/TOOL_RESULTS]`, tools `[AVAILABLE_TOOLS][…][/AVAILABLE_TOOLS]`.
   */
  mistral: { name: 'mistral', message: 3, call: 28, result: 22, tool: 2, tools: 4, prompt: 1 },

  /** `<|user|>\n…<|end|>\n`, reply `<|assistant|>\n`; Phi 4 `<|im_start|>user<|im_sep|>…<|im_end|>`. */
  phi: { name: 'phi', message: 4, call: 15, result: 9, tool: 1, tools: 76, prompt: 4 },

  /**
   * `<｜User｜>…`, `<｜Assistant｜>…<｜end▁of▁sentence｜>`, a mark at the beginning, the reply with `<think>`.
   * Calls have five marks and fenced JSON, results four marks.
   */
  deepseek: { name: 'deepseek', message: 2, call: 12, result: 4, tool: 4, tools: 76, prompt: 4 },

  /**
   * `<|start|>assistant<|channel|>final<|message|>…<|end|>`; reply `<|start|>assistant`. Always a system message
   * (cutoff, date, effort, channels) and the head of a developer message. Calls
   * `<|start|>assistant<|channel|>commentary to=functions.… <|constrain|>json<|message|>…<|call|>`.
   */
  harmony: { name: 'harmony', message: 6, call: 13, result: 8, tool: 8, tools: 28, prompt: 66 },
} as const satisfies Record<string, Framing>

/**
 * The framing of a model by its name: `llama3.2:3b`, `hf.co/bartowski/Qwen2.5-7B-GGUF`, `gpt-4o`. Unknown: `generic`.
 *
 * @example
 * const counter = o200k({ framing: framingFor('gpt-4o') })
 */
export function framingFor(model: string): Framing {
  const name = model.toLowerCase()
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? framings.generic
}

/** In order: the template a model was tuned with (Dolphin, Hermes, a distillate) wins over that of its base model. */
const families: readonly (readonly [RegExp, Framing])[] = [
  [/gpt-?oss/, framings.harmony],
  [/deepseek/, framings.deepseek],
  [/hermes|dolphin|qwen|qwq|qvq|smollm|internlm|\byi[-:]/, framings.chatml],
  [/(mi|mini|magi|dev|code|pix)stral|mixtral/, framings.mistral],
  [/llama-?[34]/, framings.llama3],
  [/gemma/, framings.gemma],
  [/\bphi-?\d/, framings.phi],
  [/\b(chat)?gpt-|\bo[1345](-|:|$)/, framings.openai],
]
