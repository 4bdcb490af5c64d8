import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ask, queryClient } from '../../api/client.ts'
import { conversationsQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import field from '../../parts/field.module.css'
import { amountOf, titleOf } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { notify } from '../../parts/notify.ts'

type Whose = { readonly person: string } | { readonly all: true }

const remove = (whose: Whose, dryRun: boolean) =>
  ask('delete /conversations', { query: { ...whose, dryRun } })

/** Deletes a person's conversations, or all. What would go is counted first. */
export function DeleteSection() {
  const [person, setPerson] = useState('')
  const [asked, setAsked] = useState<{
    readonly whose: Whose
    readonly deleted: readonly string[]
  }>()
  const button = useRef<HTMLElement>(null)
  const { data } = useInfiniteQuery(conversationsQuery)
  const conversations = data?.pages.flatMap(page => page.conversations) ?? []
  const persons = new Set(conversations.flatMap(one => one.person ?? []))
  const titles = new Map(conversations.map(one => [one.conversation, titleOf(one)]))
  const look = useMutation({
    mutationFn: async (whose: Whose) => ({ whose, ...(await remove(whose, true)) }),
    onSuccess: setAsked,
  })
  const deletion = useMutation({
    mutationFn: (whose: Whose) => remove(whose, false),
    onSuccess: ({ deleted }) => {
      setAsked(undefined)
      notify(`${amountOf(deleted.length, 'conversation')} deleted.`)
      void queryClient.resetQueries()
    },
  })
  const error = look.error ?? deletion.error
  const start = (whose: Whose) => {
    button.current = document.activeElement as HTMLElement
    look.mutate(whose)
  }
  const of = asked && 'person' in asked.whose ? ` of “${asked.whose.person}”` : ''
  return (
    <>
      <form
        className="row wraps gap-2"
        action={() => void (person.trim() !== '' && start({ person: person.trim() }))}
      >
        <label className="row gap-2 one-line">
          Person
          <input
            className={field.input}
            list="persons"
            value={person}
            maxLength={300}
            onChange={event => setPerson(event.target.value)}
          />
        </label>
        <datalist id="persons">
          {[...persons].map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button
          type="submit"
          kind="danger"
          why={
            person.trim() === ''
              ? 'Say who: the name that the person’s conversations have.'
              : undefined
          }
        >
          Delete this person’s conversations …
        </Button>
        <Button kind="danger" onClick={() => start({ all: true })}>
          Delete everything …
        </Button>
      </form>
      {error && <Notice kind="danger">{error.message}</Notice>}
      {asked?.deleted.length === 0 && <Notice>There is no conversation{of}.</Notice>}
      {asked && asked.deleted.length > 0 && (
        <ConfirmDialog
          title={`Delete ${amountOf(asked.deleted.length, 'conversation')}${of}?`}
          action="Delete"
          refusal="Keep them"
          isPending={deletion.isPending}
          onConfirm={() => deletion.mutate(asked.whose)}
          onClose={() => setAsked(undefined)}
          finalFocus={() => button.current}
        >
          <span className="breaks">{someOf(asked.deleted.map(one => titles.get(one) ?? one))}</span>{' '}
          All their messages, and all that was sent of them, are gone for good. Their ids stay
          blocked.
        </ConfirmDialog>
      )}
    </>
  )
}

/** The first titles of a list that may be long. */
const someOf = (names: readonly string[]) =>
  `${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${amountOf(names.length - 8, 'more', 'more')}` : ''}.`
