import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ask, queryClient } from '../api/client.ts'
import { experimentsQuery } from '../api/experiment-queries.ts'
import { boardAt } from './address.ts'
import { notify } from './notify.ts'

export function useOpenStarted(): (started: { readonly id: string }) => void {
  const navigate = useNavigate()
  return ({ id }) => {
    void queryClient.invalidateQueries({ queryKey: experimentsQuery.queryKey })
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
