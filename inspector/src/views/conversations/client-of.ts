import type { ListedConversation } from '../../api/conversation-list.ts'

/**
 * The client of a conversation: the one that named it, else the one that sent its last message, else what it speaks. What came
 * through the API, an import or an experiment has none. `id` is for filters and addresses.
 */
export function clientOf({ conversation, latest, metadata }: ListedConversation) {
  const prefix = /^([a-z-]{1,20}):/.exec(conversation)?.[1]
  if (prefix !== undefined && Object.hasOwn(byPrefix, prefix)) return { id: prefix, name: byPrefix[prefix]! }
  if (latest?.isExperiment) return { id: 'experiment', name: 'Experiment' }
  const { request } = latest ?? {}
  if (!request) {
    const { from } = (metadata ?? {}) as { readonly from?: unknown }
    // An import says which program its file came from.
    return typeof from === 'string' ? { id: from, name: from } : { id: 'none', name: 'API or import' }
  }
  const agent = request.client
  if (agent) return { id: agent, name: byAgent[agent.toLowerCase()] ?? agent }
  return { id: request.adapter, name: adapters[request.adapter] ?? request.adapter }
}

/** Clients that name their conversations: the server puts this before the name. */
const byPrefix: Readonly<Record<string, string>> = {
  'open-webui': 'Open WebUI',
  codex: 'Codex',
  'claude-code': 'Claude Code',
  goose: 'Goose',
  litellm: 'LiteLLM',
  'chat-ui': 'HF Chat UI',
  'llama-ui': 'llama.cpp UI',
}

/** What clients call themselves in their requests. */
const byAgent: Readonly<Record<string, string>> = {
  'claude-cli': 'Claude Code',
  codex_cli_rs: 'Codex',
  ollama: 'Ollama',
  openai: 'openai',
  anthropic: 'anthropic',
  homeassistant: 'Home Assistant',
}

const adapters: Readonly<Record<string, string>> = {
  ollama: 'Ollama’s API',
  openai: 'OpenAI’s API',
  messages: 'Anthropic’s API',
  responses: 'Responses API',
}

/** How the last request found its conversation, in two words. */
export const howFound: Readonly<Record<string, string>> = {
  new: 'began here',
  extends: 'went on',
  branches: 'branched off',
}
