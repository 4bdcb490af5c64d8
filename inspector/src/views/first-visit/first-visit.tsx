import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '../../api/queries.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { TenantChoice } from '../../parts/tenant-choice.tsx'
import { Connect } from './connect.tsx'
import styles from './first-visit.module.css'
import { SamplePicture } from './sample-picture.tsx'
import { AnsweringModel, Remembering } from './setup.tsx'
import { Starts } from './starts.tsx'

/** What a server without conversations shows: samples to look at, and how to point clients to it. */
export function FirstVisit({ isEmpty = false }: { readonly isEmpty?: boolean }) {
  const server = useQuery(serverQuery)
  return (
    <QueryState query={server}>
      {data => (
        <div className={`centred on-panel ${styles.place}`}>
          <div className={`grid middle ${styles.page}`}>
            <section className={`slim ${styles.start}`}>
              <h1>See what the model saw, and why it forgot</h1>
              <p className={styles.lead}>
                Every message of a conversation, what became of it in each call, and the reason.
                {isEmpty && ' There is nothing here yet.'}
              </p>
              {isEmpty && data.tenants.length > 1 && (
                <p>
                  Other tenants have conversations: <TenantChoice server={data} />
                </p>
              )}
              <Starts scopes={data.scopes} />
              <h2 className={styles.or}>or send your own application through it</h2>
              <Connect server={data} isWaiting={isEmpty} />
              <AnsweringModel server={data} />
            </section>
            <div>
              <SamplePicture />
              <Remembering {...data} />
            </div>
          </div>
        </div>
      )}
    </QueryState>
  )
}
