import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Minus } from 'lucide-react'
import { key, type ServerInfo } from '../../api/client.ts'
import { serverQuery } from '../../api/queries.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { count } from '../../parts/format.ts'
import { changeKey, KeyField, TenantChoice, takeTyped } from '../../parts/key-field.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { setTheme, theme } from '../../parts/theme.ts'
import { useTitle } from '../../parts/use-title.ts'
import { DeleteSection } from './delete-section.tsx'
import styles from './settings-view.module.css'

/** The theme, the key and what it may do, and what this server is. */
export function SettingsView() {
  const server = useQuery(serverQuery)
  useTitle('Settings')
  return (
    <div className={`on-panel ${styles.place}`}>
      <div className={styles.page}>
        <h1>Settings</h1>
        <ThemeSection />
        <QueryState query={server}>
          {data => (
            <>
              <Section name="key" heading="Key">
                <KeySettings server={data} />
              </Section>
              <Section name="may" heading="Your permissions">
                <MayDo scopes={data.scopes} />
              </Section>
              {data.scopes.includes('admin') && (
                <Section name="delete" heading="Delete">
                  <DeleteSection />
                </Section>
              )}
              <Section name="server" heading="This server">
                <ServerFacts server={data} />
              </Section>
            </>
          )}
        </QueryState>
      </div>
    </div>
  )
}

interface SectionProps {
  readonly name: string
  readonly heading: string
  readonly children: React.ReactNode
}

const Section = ({ name, heading, children }: SectionProps) => (
  <section className={styles.section} aria-labelledby={`${name}-heading`}>
    <h2 id={`${name}-heading`}>{heading}</h2>
    {children}
  </section>
)

const themes = [
  { value: 'system', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
] as const

function ThemeSection() {
  const chosen = theme.use()
  return (
    <fieldset className={styles.section}>
      <legend>Appearance</legend>
      <div className={`flex wraps gap-2 ${styles.choices}`}>
        {themes.map(({ value, name }) => (
          <label key={value} className="inline gap-6px outlined round-2">
            <input
              type="radio"
              name="theme"
              value={value}
              checked={chosen === value}
              onChange={() => setTheme(value)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Sets, changes or forgets the key of this tab. The key is never shown. */
function KeySettings({ server: { needsKey, tenant } }: { readonly server: ServerInfo }) {
  const hasKey = key.use() !== undefined
  return (
    <>
      <p className="soft breaks">
        {needsKey ? 'Every request to this server needs a key. ' : 'This server needs no key. '}
        {hasKey
          ? `This tab sends one, of the tenant “${tenant}”. It is forgotten when the tab is closed.`
          : !needsKey && 'With one, you see the conversations of its tenant.'}
      </p>
      <form className={`grid middle ${styles.key}`} action={takeTyped}>
        <KeyField label={hasKey ? 'Another key' : 'Key'} />
        <Button type="submit">Use it</Button>
        {hasKey && <Button onClick={() => changeKey(undefined)}>Forget the key</Button>}
      </form>
    </>
  )
}

const meanings = [
  { scope: 'read', about: 'see conversations as their users do, and search them' },
  { scope: 'inspect', about: 'see what no user sees: contexts, calls, notes, exports' },
  { scope: 'chat', about: 'talk, make branches, give titles' },
  { scope: 'admin', about: 'delete and import, start and stop experiments, manage keys' },
  { scope: 'metrics', about: 'read how busy the server is, but no content' },
] as const

const MayDo = ({ scopes }: Pick<ServerInfo, 'scopes'>) => (
  <ul className={`grid gap-6px bright ${styles.scopes}`}>
    {meanings.map(({ scope, about }) => {
      const may = scopes.includes(scope)
      return (
        <li key={scope} className="grid baseline gap-2 soft" data-may={may}>
          {may ? (
            <Check size={14} aria-label="You may" />
          ) : (
            <Minus size={14} aria-label="You may not" />
          )}
          <b>{scope}</b>
          <span>{about}</span>
        </li>
      )
    })}
  </ul>
)

function ServerFacts({ server }: { readonly server: ServerInfo }) {
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
                <li key={one.name} className="flex wraps baseline">
                  <span>{one.name}</span>
                  <More>
                    {one.kind}
                    {one.address !== undefined && ` at ${one.address}`}, takes{' '}
                    {one.models.join(', ')}
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
              {models.slice(0, mostModels).map(({ name, window, windowFrom }) => (
                <li key={name} className="flex wraps baseline">
                  <span>{name}</span>
                  <More>
                    {window === undefined
                      ? 'window unknown: nothing is cut'
                      : `${count(window)} tokens, ${windowFrom ?? 'as set'}`}
                  </More>
                  {name === server.model && <More>answers if none is named</More>}
                </li>
              ))}
              {models.length > mostModels && (
                <li className="flex">and {count(models.length - mostModels)} more</li>
              )}
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
      <p className="soft breaks linked">
        <Link to="/welcome">Connect a client, or open a sample</Link>
      </p>
    </>
  )
}

const More = ({ children }: { readonly children: React.ReactNode }) => (
  <small className="block muted text-12-18">{children}</small>
)

const mostModels = 30

const adapters = [
  { adapter: 'ollama', name: 'For clients of Ollama' },
  { adapter: 'openai', name: 'For clients of OpenAI' },
  { adapter: 'anthropic', name: 'For clients of Anthropic' },
  { adapter: 'uiChat', name: 'For useChat' },
  { adapter: 'mcp', name: 'For agents (MCP)' },
] as const
