import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { createChat } from '@throughline/chat/reply'
import type { MessageLike } from '@throughline/core/messages'
import type {
  ApplicationPlace,
  OpenApplication,
  SaidPart,
  WaysDrawing,
} from '@throughline/gallery/application'
import type { Thread } from '@throughline/history/threads'
import { reader } from '@throughline/models/reader'
import { packageFile } from '@throughline/server/package'
import { questions } from '../../examples/ollama-proxy/questions.ts'
import { harrysCases } from './harrys-cases.ts'
import { readTalk, toSaid, toSaidParts } from './talk.ts'
import { cutThreeWays, sightsIn, wayNames } from './three-ways.ts'

const window = 4096

/** A long chat, and questions about it. The chat is put into the log before the first question. */
export function open({ history, conversation, model }: ApplicationPlace): OpenApplication {
  const thread = history.thread(conversation)
  const chat = createChat({ history, model: model ?? reader({ window }), window })

  async function* say(text: string, signal: AbortSignal): AsyncGenerator<SaidPart> {
    if ((await thread.turns()).length === 0) await thread.seedTurns(await projectChat())
    yield* toSaidParts(chat.send(text, { conversation, signal }))
  }

  return {
    say,
    async state() {
      const past = await projectChat()
      // The turns of the chat itself were not said here.
      const turns = (await readTalk(thread)).filter(({ first }) => first > past.length)
      const asked = new Set(turns.map(one => one.asked))
      const open = questions.map(({ text }) => text).filter(text => !asked.has(text))
      return {
        chips: open.slice(0, 4),
        said: toSaid(turns),
        more: [],
        drawing: await draw(thread, past, turns.at(-1)),
      }
    },
  }
}

let read: Promise<readonly MessageLike[]> | undefined

/** The chat of the package, without the question at its end. */
function projectChat(): Promise<readonly MessageLike[]> {
  read ??= readFile(packageFile('examples/project-chat.json'), 'utf8').then(text =>
    (JSON.parse(text) as MessageLike[]).slice(0, -1),
  )
  return read
}

async function draw(
  thread: Thread,
  past: readonly MessageLike[],
  newest: { readonly asked: string; readonly first: number } | undefined,
): Promise<WaysDrawing> {
  const question = newest?.asked
  const words = questions.find(({ text }) => text === question)?.words
  const list = newest === undefined ? [] : await thread.messages({ at: newest.first })
  // The same message in both lists: when it was asked says what is long ago.
  const asked = list.slice(-1)
  return {
    kind: 'ways',
    names: [...wayNames],
    window,
    ...(question !== undefined && { question }),
    alone: asked.length === 0 ? [] : [...(await cutThreeWays([...past, ...asked], words))],
    growing: asked.length === 0 ? [] : [...(await cutThreeWays(list, words))],
    questions: [...(await readyQuestions(past))],
    cases: [...harrysCases()],
  }
}

type ReadyQuestion = WaysDrawing['questions'][number]

let ready: Promise<readonly ReadyQuestion[]> | undefined

/** Whether each way has the answers of the ready questions. They are always the same, so they are worked out once. */
function readyQuestions(past: readonly MessageLike[]): Promise<readonly ReadyQuestion[]> {
  ready ??= workOut(past)
  return ready
}

async function workOut(past: readonly MessageLike[]): Promise<readonly ReadyQuestion[]> {
  const worked: ReadyQuestion[] = []
  for (const { text, said, words } of questions) {
    // Fifteen times three contexts take a while: other requests get their turn in between.
    await setImmediate()
    worked.push({ text, said, sights: [...sightsIn([...past, user(text)], words)] })
  }
  return worked
}

const user = (content: string): MessageLike => ({ role: 'user', content })
