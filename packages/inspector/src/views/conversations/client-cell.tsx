import { Popover } from '@base-ui/react/popover'
import { Link } from '@tanstack/react-router'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { toThreadSearch, viewAt } from '../../parts/address.ts'
import { Fact } from '../../parts/fact.tsx'
import { fullTime } from '../../parts/format.ts'
import menu from '../../parts/menu.module.css'
import styles from './client-cell.module.css'

/** Which client it came from and how it was recognised; pressed, why, and what else is known of the conversation. */
export function ClientCell(props: { readonly row: ListedConversation; readonly tabIndex: number }) {
  const { row, tabIndex } = props
  const { latest } = row
  const { name } = clientOf(row)
  const how = latest?.request && (howFound[latest.request.kind] ?? latest.request.kind)
  return (
    <Popover.Root>
      <Popover.Trigger
        className={styles.client}
        tabIndex={tabIndex}
        title="Where it came from, and why here"
      >
        <span className="cut block">{name}</span>
        {how !== undefined && <span className={`cut block ${styles.how}`}>{how}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className={menu.positioner}>
          <Popover.Popup className={`floating scrolls ${styles.popup}`}>
            <Popover.Title className={`subheading breaks ${styles.title}`}>
              <bdi>{row.conversation}</bdi>
            </Popover.Title>
            <About row={row} name={name} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function About({ row, name }: { readonly row: ListedConversation; readonly name: string }) {
  const { latest, createdAt, updatedAt, metadata, provisional } = row
  const request = latest?.request
  return (
    <dl className={`grid gap-6px text-12-18 facts linked ${styles.facts}`}>
      <Fact name="From">
        {name}
        {request && `, over ${adapterNames[request.adapter] ?? request.adapter}`}
      </Fact>
      {request ? (
        <Fact name="Recognised">
          {capital(request.why)}
          {' · '}
          <Link
            {...viewAt('context', row.conversation, {
              ...toThreadSearch(latest),
              entry: request.at,
            })}
          >
            message {request.at}
          </Link>
          {` of ${fullTime(request.time)}`}
        </Fact>
      ) : (
        <Fact name="Recognised">
          No client was recognised: it came through this page, the API, an import or an experiment.
        </Fact>
      )}
      {provisional && (
        <Fact name="Provisional">
          A single message without a follow-up, from a client that does not name its conversations.
        </Fact>
      )}
      {latest && latest.branches > 1 && <Fact name="Branches">{latest.branches}</Fact>}
      <Fact name="Began">{fullTime(createdAt)}</Fact>
      <Fact name="Written to">{fullTime(updatedAt)}</Fact>
      {metadata !== undefined && metadata !== null && (
        <Fact name="Metadata">
          <pre className="scrolls small-code written">
            {JSON.stringify(metadata, null, 2).slice(0, mostMetadata)}
          </pre>
        </Fact>
      )}
    </dl>
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const mostMetadata = 4000

const adapterNames: Readonly<Record<string, string>> = {
  ollama: 'the API of Ollama',
  openai: 'the chat API of OpenAI',
  messages: 'the API of Anthropic',
  responses: 'the Responses API',
}

/** Who named the conversation, else who sent its last message, else what that client speaks. `id` is for filters and addresses. */
export function clientOf({ conversation, latest, metadata }: ListedConversation) {
  const prefix = /^([a-z-]{1,20}):/.exec(conversation)?.[1]
  if (prefix !== undefined && Object.hasOwn(byPrefix, prefix))
    return { id: prefix, name: byPrefix[prefix]! }
  if (latest?.isExperiment) return { id: 'experiment', name: 'Experiment' }
  const { request } = latest ?? {}
  if (!request) {
    const { from } = (metadata ?? {}) as { readonly from?: unknown }
    // An import says which program its file came from.
    return typeof from === 'string'
      ? { id: from, name: from }
      : { id: 'none', name: 'API or import' }
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
