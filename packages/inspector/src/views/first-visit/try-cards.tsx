import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { galleryQuery } from '../../api/gallery-queries.ts'
import styles from './try-cards.module.css'

/** The applications of this server, each with the problem that it shows. */
export function TryCards() {
  const { data: all = [] } = useQuery(galleryQuery)
  if (all.length === 0) return null
  return (
    <section className={`grid gap-2 ${styles.section}`} aria-labelledby="try">
      <h2 id="try" className="subheading">
        Try an application
      </h2>
      <ul className={`grid gap-2 ${styles.cards}`}>
        {all.map(({ name, title, about, problem }) => (
          <li key={name}>
            <Link
              to="/try/$application"
              params={{ application: name }}
              className={`grid single gap-1 on-panel framed round-3 hovers ${styles.card}`}
            >
              <b className="row between clear">
                {title} <ChevronRight size={16} aria-hidden />
              </b>
              <span className="soft text-12-18">{about}</span>
              <span className="muted text-12-18">{problem}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
