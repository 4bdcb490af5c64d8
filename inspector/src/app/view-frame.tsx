import { connection } from '../api/connection.ts'
import { Header, type HeaderProps } from './header.tsx'
import styles from './view-frame.module.css'

/** A header with the view under it. Every page of the inspector stands in one. */
export function ViewFrame({ children, ...header }: HeaderProps & { readonly children: React.ReactNode }) {
  const { state } = connection.use()
  return (
    <div className={`grid slim low ${styles.frame}`}>
      <Header {...header} />
      <main
        id="view"
        tabIndex={-1}
        className={`slim low scrolls relative ${styles.view}`}
        data-away={state === 'away'}
      >
        {children}
      </main>
    </div>
  )
}
