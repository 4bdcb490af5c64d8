import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { threadsQuery } from '../api/queries.ts'
import { toThreadSearch, usePlace } from '../parts/address.ts'
import { branchTitle } from '../parts/branch-title.ts'
import { amountOf } from '../parts/format.ts'
import { MenuItem, MenuPopup } from '../parts/menu-popup.tsx'
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
  return (
    <Menu.Root>
      <Menu.Trigger className={`hovers chip rigid ${crumb.branch}`} aria-label={`Branch ${nameOf(current)}`}>
        <GitBranch size={14} aria-hidden />
        <span className="ellipsis">{nameOf(current)}</span>
      </Menu.Trigger>
      <MenuPopup align="start">
        {threads.map(one => (
          <MenuItem
            key={`${one.actor}\n${one.branch}`}
            label={nameOf(one)}
            more={amountOf(one.turns, 'turn')}
            isChosen={one.actor === actor && one.branch === branch}
            onClick={() => go({ ...toThreadSearch(one), turn: undefined, call: undefined }, { push: true })}
          />
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}
