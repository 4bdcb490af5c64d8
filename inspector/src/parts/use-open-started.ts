import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ask } from '../api/client.ts'
import { experimentsQuery } from '../api/experiment-queries.ts'
import { notify } from './notify.ts'
import { boardAt } from './view-at.ts'

/** Opens the board of an experiment that was just started. */
export function useOpenStarted(): (started: { readonly id: string }) => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  return ({ id }) => {
    void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
    void navigate(boardAt(id))
  }
}

/** Runs the lemonade stand, and opens its board. */
export function useSampleExperiment() {
  return useMutation({
    mutationFn: () => ask('post /samples/experiment', {}),
    onSuccess: useOpenStarted(),
    onError: error => notify(error.message, 'danger'),
  })
}
