import { Link } from '@tanstack/react-router'
import type { ServerInfo } from '../../api/routes.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { count } from '../../parts/format.ts'
import { TenantChoice } from '../../parts/tenant-choice.tsx'
import styles from './settings-view.module.css'

/** What this server is: its version, its log, its models, its addresses. */
export function ServerFacts({ server }: { readonly server: ServerInfo }) {
  const { upstream, models, addresses } = server
  return (
    <>
      <dl className={`facts ${styles.facts}`}>
        <Fact name="Version">{server.version}</Fact>
        {server.store !== undefined && <Fact name="Log">{server.store}</Fact>}
        <Fact name="Tenant">
          <TenantChoice server={server} />
        </Fact>
        {server.upstreams ? (
          <Fact name="Model servers">
            <ul className={`grid gap-2px ${styles.models}`}>
              {server.upstreams.map(one => (
                <li key={one.name}>
                  <span>{one.name}</span>
                  <More>
                    {one.kind}
                    {one.address !== undefined && ` at ${one.address}`}, takes {one.models.join(', ')}
                  </More>
                </li>
              ))}
            </ul>
          </Fact>
        ) : (
          <Fact name="Model server">
            {upstream.kind === 'reader'
              ? 'the built-in reader, which quotes what it was sent'
              : upstream.kind}
            {upstream.address !== undefined && ` at ${upstream.address}`}
            {upstream.why !== undefined && <More>{upstream.why}</More>}
          </Fact>
        )}
        <Fact name="Models">
          {models.length === 0 ? (
            'none answers now'
          ) : (
            <ul className={`grid gap-2px ${styles.models}`}>
              {models.slice(0, mostModels).map(({ name, window }) => (
                <li key={name}>
                  <span>{name}</span>
                  {window !== undefined && <More>{count(window)} tokens</More>}
                  {name === server.model && <More>answers if none is named</More>}
                </li>
              ))}
              {models.length > mostModels && <li>and {count(models.length - mostModels)} more</li>}
            </ul>
          )}
        </Fact>
        <Fact name="Policy">{server.policy ?? 'default'}</Fact>
        {server.window !== undefined && <Fact name="Window">{count(server.window)} tokens</Fact>}
        {server.reserve !== undefined && (
          <Fact name="Kept for the reply">{count(server.reserve)} tokens</Fact>
        )}
        {adapters.map(({ adapter, name }) => (
          <Fact key={adapter} name={name}>
            <span className={`row between gap-2 ${styles.address}`}>
              <code>{addresses[adapter]}</code>
              <CopyButton text={addresses[adapter]} />
            </span>
          </Fact>
        ))}
      </dl>
      <p className="soft breaks">
        <Link to="/welcome" className={styles.link}>
          Connect a client, or open a sample
        </Link>
      </p>
    </>
  )
}

const More = ({ children }: { readonly children: React.ReactNode }) => (
  <small className="block muted text-12-18">{children}</small>
)

const mostModels = 30

const adapters: readonly { readonly adapter: keyof ServerInfo['addresses']; readonly name: string }[] = [
  { adapter: 'ollama', name: 'For clients of Ollama' },
  { adapter: 'openai', name: 'For clients of OpenAI' },
  { adapter: 'anthropic', name: 'For clients of Anthropic' },
  { adapter: 'uiChat', name: 'For useChat' },
  { adapter: 'mcp', name: 'For agents (MCP)' },
]
