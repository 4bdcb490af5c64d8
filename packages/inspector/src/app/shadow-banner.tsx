import { useQuery } from '@tanstack/react-query'
import { Blend } from 'lucide-react'
import { conversationQuery, serverQuery } from '../api/queries.ts'
import styles from './shadow-banner.module.css'

/** Stands above every view of a conversation whose requests pass as they come. It cannot be dismissed. */
export function ShadowBanner({ conversation }: { readonly conversation: string }) {
  const { data: server } = useQuery(serverQuery)
  const { data } = useQuery(conversationQuery(conversation))
  const isNow = server?.shadow === true
  if (!isNow && data?.latest?.call?.shadow === undefined) return null
  return (
    <p className={`row gap-2 line-below text-12-18 ${styles.banner}`} role="status">
      <Blend size={16} aria-hidden />
      <span className="slim">
        <b>Shadow.</b>{' '}
        {isNow
          ? 'Every byte passes as it came; nothing is cut or added. This page shows what would have been sent.'
          : 'The last request passed as it came. The server has left its shadow since.'}
      </span>
    </p>
  )
}
