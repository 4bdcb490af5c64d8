import { Tabs } from '@base-ui/react/tabs'
import { useSearch } from '@tanstack/react-router'
import type { ServerInfo } from '../../api/client.ts'
import { type ListSearch, useGo } from '../../parts/address.ts'
import { CopyButton } from '../../parts/button.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { type ClientLine, clientLines } from './client-lines.ts'
import styles from './connect.module.css'

/** The line that points each client here. The client that is chosen stands in the address. */
export function Connect({
  server,
  isWaiting,
}: {
  readonly server: ServerInfo
  readonly isWaiting: boolean
}) {
  const go = useGo<ListSearch>()
  const { to: chosen } = useSearch({ strict: false }) as ListSearch
  const lines = clientLines(server)
  const shown = lines.find(({ id }) => id === chosen) ?? lines[0]!
  return (
    <Tabs.Root
      value={shown.id}
      onValueChange={(to: string) => go({ to })}
      className="clipped on-sunken framed round-3"
    >
      <Tabs.List className={styles.clients} activateOnFocus aria-label="Clients">
        {lines.map(({ id, name }) => (
          <Tabs.Tab
            key={id}
            value={id}
            className={`soft chip-text round-1 row-high padded-tight ${styles.client}`}
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {lines.map(one => (
        <Tabs.Panel key={one.id} value={one.id} className={styles.panel}>
          <div className={`row between gap-2 muted text-11 ${styles.where}`}>
            <span className="slim breaks">{one.where}</span>
            <CopyButton text={one.line} />
          </div>
          <pre className={`written soft bright ${styles.line}`}>
            <Line {...one} />
          </pre>
          <p className={styles.about}>{one.about}</p>
        </Tabs.Panel>
      ))}
      {server.needsKey && (
        <p className={styles.key}>
          This server asks for a key. Make one:{' '}
          <code className="soft code">throughline keys create "a name"</code>
        </p>
      )}
      {isWaiting && (
        <p className={`row gap-2 on-panel ${styles.waiting}`} role="status">
          <StatusMark status="running" label="Waiting" />
          Waiting for the first message: it shows here when it comes.
        </p>
      )}
    </Tabs.Root>
  )
}

function Line({ line, address }: ClientLine) {
  const at = line.indexOf(address)
  return (
    <code>
      {line.slice(0, at)}
      <b>{address}</b>
      {line.slice(at + address.length)}
    </code>
  )
}
