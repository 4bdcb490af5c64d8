import { useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { count } from './format.ts'

/** One page of a list that has the newest first, and the buttons that lead to the others. */
export function usePages<Item>(items: readonly Item[], perPage: number) {
  const [wanted, setPage] = useState(0)
  const last = Math.max(0, Math.ceil(items.length / perPage) - 1)
  // The list may have become shorter.
  const page = Math.min(wanted, last)
  const first = page * perPage
  const shown = useMemo(() => items.slice(first, first + perPage), [items, first, perPage])
  const pager = last > 0 && (
    <p className="row gap-3 soft text-12">
      <Button
        onClick={() => setPage(page - 1)}
        why={page === 0 ? 'These are the newest.' : undefined}
      >
        Newer
      </Button>
      {count(first + 1)} to {count(first + shown.length)} of {count(items.length)}
      <Button
        onClick={() => setPage(page + 1)}
        why={page === last ? 'These are the oldest.' : undefined}
      >
        Older
      </Button>
    </p>
  )
  return { shown, pager }
}
