import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { experimentsQuery } from '../../api/experiment-queries.ts'

/** Opens the board of an experiment that was just started. */
export function useOpenStarted(): (started: { readonly id: string }) => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  return ({ id }) => {
    void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
    void navigate({ to: '/e/$experiment', params: { experiment: id }, search: {} })
  }
}
