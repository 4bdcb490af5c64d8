import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronRight, FileInput, FlaskConical, LoaderCircle, MessageSquare, Plus } from 'lucide-react'
import { ask } from '../../api/client.ts'
import type { ServerInfo } from '../../api/routes.ts'
import { chooseFiles } from '../../parts/import-files.ts'
import { newConversationName } from '../../parts/new-conversation-name.ts'
import { notify } from '../../parts/notify.ts'
import { useSampleExperiment } from '../../parts/use-open-started.ts'
import { viewAt } from '../../parts/view-at.ts'
import styles from './starts.module.css'

/** Four ways to begin: a conversation to look at, an experiment to watch, chats from elsewhere, a new conversation. */
export function Starts({ scopes }: Pick<ServerInfo, 'scopes'>) {
  const navigate = useNavigate()
  const conversation = useMutation({
    mutationFn: () => ask('post /samples/conversation', {}),
    onSuccess: ({ conversation }) => navigate(viewAt('context', conversation)),
    onError: error => notify(error.message, 'danger'),
  })
  const experiment = useSampleExperiment()
  const starts = [
    {
      title: 'Open the sample conversation',
      about: 'A project chat of 168 turns in a window of 4,096 tokens',
      icon: <MessageSquare size={16} aria-hidden />,
      scope: 'chat',
      isBusy: conversation.isPending,
      run: () => conversation.mutate(),
    },
    {
      title: 'Run the lemonade stand',
      about: 'An experiment: three roles, at most 30 steps, half a second',
      icon: <FlaskConical size={16} aria-hidden />,
      scope: 'admin',
      isBusy: experiment.isPending,
      run: () => experiment.mutate(),
    },
    {
      title: 'Bring your chats',
      about: 'Files of ChatGPT, Claude, Open WebUI and others: choose them, or drop them here',
      icon: <FileInput size={16} aria-hidden />,
      scope: 'admin',
      run: chooseFiles,
    },
    {
      title: 'Start a conversation',
      about: 'Talk, and watch the window fill',
      icon: <Plus size={16} aria-hidden />,
      scope: 'chat',
      run: () => void navigate(viewAt('chat', newConversationName())),
    },
  ]
  return (
    <ul className={`grid gap-2 ${styles.starts}`}>
      {starts.map(({ title, about, icon, scope, isBusy, run }) => {
        const mayNot = !scopes.some(one => one === scope)
        return (
          <li key={title}>
            <button type="button" disabled={mayNot || isBusy} onClick={run}>
              <span className={`centred soft on-sunken ${styles.icon}`}>{icon}</span>
              <span>
                <b className="block clear">{title}</b>
                <span className="block text-12-18">
                  {mayNot ? `This key may not: it needs the scope ${scope}` : about}
                </span>
              </span>
              {isBusy ? (
                <LoaderCircle size={16} className="turning" aria-label="Under way" />
              ) : (
                <ChevronRight size={16} aria-hidden />
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
