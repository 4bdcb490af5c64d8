import type { ServerInfo } from '../../api/client.ts'

export type ClientLine = ReturnType<typeof clientLines>[number]

/** The lines that point popular clients at this server, with its address and its model filled in. */
export function clientLines({ addresses, model: named = 'MODEL', needsKey }: ServerInfo) {
  const { ollama, openai, anthropic } = addresses
  const model = named.replace(/\p{Cc}/gu, '')
  const word = needsKey ? 'YOUR_KEY' : 'none'
  const bearer = `headers: { authorization: 'Bearer YOUR_KEY' }`
  /** `id`: the client in the page's address. `where`: where the line goes. `address`: the part of it that is this server's. */
  return [
    {
      id: 'ollama',
      name: 'Ollama',
      address: ollama,
      ...(needsKey
        ? {
            where: 'JavaScript, with the library ollama',
            line: `new Ollama({ host: ${js(ollama)}, ${bearer} })`,
            about: 'In Python: Client(host=…, headers=…).',
          }
        : {
            where: 'In a shell',
            line: `OLLAMA_HOST=${ollama} ollama run ${shell(model)}`,
            about:
              'Libraries and applications that are made for Ollama read the same variable, or have a field for its address.',
          }),
    },
    {
      id: 'openai',
      name: 'OpenAI',
      address: openai,
      where: 'In a shell',
      line: `export OPENAI_BASE_URL=${openai} OPENAI_API_KEY=${word}`,
      about:
        'The openai libraries for JavaScript and Python read both, and so do most applications made with them.',
    },
    {
      id: 'open-webui',
      name: 'Open WebUI',
      where: 'In a shell',
      ...(needsKey
        ? {
            address: openai,
            line: `OPENAI_API_BASE_URL=${openai} OPENAI_API_KEY=YOUR_KEY ${openWebUi} open-webui serve`,
          }
        : { address: ollama, line: `OLLAMA_BASE_URL=${ollama} ${openWebUi} open-webui serve` }),
      about:
        'The last two variables have it name its chats, and send all of a long one instead of a summary. From a container, this machine is called host.docker.internal: start this server with --host, --require-keys and --allowed-hosts.',
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      address: anthropic,
      where: 'In a shell',
      line: `ANTHROPIC_BASE_URL=${anthropic} ANTHROPIC_AUTH_TOKEN=${word} claude --model ${shell(model)}`,
      about: 'It names its sessions: each is a conversation here, and each of its agents a thread.',
    },
    {
      id: 'codex',
      name: 'Codex',
      address: openai,
      where: '~/.codex/config.toml',
      line: [
        `model = ${JSON.stringify(model)}`,
        'model_provider = "throughline"',
        '',
        '[model_providers.throughline]',
        'name = "Throughline"',
        `base_url = ${JSON.stringify(openai)}`,
        ...(needsKey ? ['env_key = "THROUGHLINE_KEY"'] : []),
        'wire_api = "responses"',
      ].join('\n'),
      about: needsKey
        ? 'Put your key into the variable THROUGHLINE_KEY.'
        : 'It speaks the Responses API, and names its threads.',
    },
    {
      id: 'zed',
      name: 'Zed',
      address: ollama,
      where: 'settings.json of Zed',
      line: `"language_models": { "ollama": { "api_url": ${JSON.stringify(ollama)} } }`,
      about: needsKey
        ? 'The key goes into the panel LLM Providers, below Ollama.'
        : 'Models of this server then stand in the list of Ollama’s.',
    },
    {
      id: 'home-assistant',
      name: 'Home Assistant',
      address: ollama,
      where: 'Settings → Devices & services → Add integration → Ollama → URL',
      line: ollama,
      about:
        'It forgets after five minutes: with /c/kitchen behind the address, the conversation goes on. From another machine, use the name of this one, and start this server with --host, --require-keys and --allowed-hosts.',
    },
    {
      id: 'langchain',
      name: 'LangChain',
      address: ollama,
      where: 'JavaScript, with @langchain/ollama',
      line: `new ChatOllama({ baseUrl: ${js(ollama)}, model: ${js(model)}${needsKey ? `, ${bearer}` : ''} })`,
      about: 'In Python: ChatOllama(base_url=…, model=…).',
    },
    {
      id: 'ai-sdk',
      name: 'AI SDK',
      address: openai,
      where: 'JavaScript, with @ai-sdk/openai-compatible',
      line: `createOpenAICompatible({ name: 'throughline', baseURL: ${js(openai)}${needsKey ? `, apiKey: 'YOUR_KEY'` : ''} })(${js(model)})`,
      about: 'A model for generateText and streamText.',
    },
    {
      id: 'curl',
      name: 'curl',
      address: openai,
      where: 'In a shell',
      line: `curl ${openai}/chat/completions${needsKey ? ` -H 'authorization: Bearer YOUR_KEY'` : ''} -d ${shell(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }))}`,
      about: 'The quickest way to see the first message arrive.',
    },
  ]
}

/** Open WebUI names its chats with the first, and from 0.10 on sends summaries of long chats without the second. */
const openWebUi = 'ENABLE_FORWARD_USER_INFO_HEADERS=true ENABLE_CONTEXT_COMPACTION=false'

/** Quotes a text for a shell: the name of a model comes from elsewhere, and must not become a command. */
const shell = (text: string) =>
  /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A text for JavaScript, in single quotes. */
const js = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
