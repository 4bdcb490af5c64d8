import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { Check, GitBranch } from 'lucide-react'
import { threadsQuery } from '../api/queries.ts'
import { usePlace } from '../parts/address.ts'
import { branchTitle } from '../parts/branch-title.ts'
import { amountOf } from '../parts/format.ts'
import menu from '../parts/menu.module.css'
import { MenuPopup } from '../parts/menu-popup.tsx'
import crumb from './crumb.module.css'

const usual = { actor: 'assistant', branch: 'main' }

/** The threads of a conversation: whose history on which branch is shown. */
export function BranchMenu() {
  const { conversation, search, go } = usePlace()
  const { data } = useQuery(threadsQuery(conversation))
  const threads = data?.threads ?? []
  const { actor = usual.actor, branch = usual.branch } = search
  const actors = new Set(threads.map(one => one.actor))
  const nameOf = (one: Parameters<typeof branchTitle>[0] & { readonly actor: string }) =>
    actors.size > 1 || one.actor !== usual.actor ? `${one.actor} · ${branchTitle(one)}` : branchTitle(one)
  const current = threads.find(one => one.actor === actor && one.branch === branch) ?? { actor, branch }
  const pick = (one: { readonly actor: string; readonly branch: string }) =>
    go(
      {
        actor: one.actor === usual.actor ? undefined : one.actor,
        branch: one.branch === usual.branch ? undefined : one.branch,
        ...{ turn: undefined, call: undefined },
      },
      { push: true },
    )
  return (
    <Menu.Root>
      <Menu.Trigger className={`hovers chip rigid ${crumb.branch}`} aria-label={`Branch ${nameOf(current)}`}>
        <GitBranch size={14} aria-hidden />
        <span className="ellipsis">{nameOf(current)}</span>
      </Menu.Trigger>
      <MenuPopup align="start">
        {threads.map(one => (
          <Menu.Item key={`${one.actor}\n${one.branch}`} className={menu.item} onClick={() => pick(one)}>
            <span className={menu.check}>
              {one.actor === actor && one.branch === branch && <Check size={14} aria-hidden />}
            </span>
            <span className="cut fill slim">{nameOf(one)}</span>
            <span className="rigid muted">{amountOf(one.turns, 'turn')}</span>
          </Menu.Item>
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}
