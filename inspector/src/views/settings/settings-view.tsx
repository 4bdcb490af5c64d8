import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '../../api/queries.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { KeySection } from './key-section.tsx'
import { MayDo } from './may-do.tsx'
import { ServerFacts } from './server-facts.tsx'
import styles from './settings-view.module.css'
import { ThemeSection } from './theme-section.tsx'

/** The theme, the key and what it may do, and what this server is. */
export function SettingsView() {
  const server = useQuery(serverQuery)
  useTitle('Settings')
  return (
    <div className={styles.place}>
      <div className={styles.page}>
        <h1>Settings</h1>
        <ThemeSection />
        <QueryState query={server}>
          {data => (
            <>
              <KeySection server={data} />
              <MayDo scopes={data.scopes} />
              <ServerFacts server={data} />
            </>
          )}
        </QueryState>
      </div>
    </div>
  )
}
