import { upstreamWith } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'

const png = 'iVBORw0KGgoAAAANSUhEUg=='
const pdf = 'JVBERi0xLjQK'

/** A file as clients send it: an address or a data URL, its type and its name. */
interface Attached {
  readonly url: string
  readonly type: string
  readonly name: string
}

const photo: Attached = {
  url: `data:image/png;base64,${png}`,
  type: 'image/png',
  name: 'photo.png',
}
const webPhoto: Attached = {
  url: 'https://example.org/pier/photo.png',
  type: 'image/png',
  name: 'photo.png',
}
const paper: Attached = {
  url: `data:application/pdf;base64,${pdf}`,
  type: 'application/pdf',
  name: 'paper.pdf',
}
const sound: Attached = {
  url: 'data:audio/wav;base64,UklGRgAA',
  type: 'audio/wav',
  name: 'sound.wav',
}

const dataOf = ({ url }: Attached) => url.replace(/^data:[^,]*,/, '')

/** How each adapter is asked in the conversation `pier`, with a text and files. */
const adapters: Readonly<
  Record<
    string,
    (text: string, files: readonly Attached[]) => readonly [path: string, body: object]
  >
> = {
  ollama: (text, files) => [
    '/c/pier/api/chat',
    { stream: false, messages: [{ role: 'user', content: text, images: files.map(dataOf) }] },
  ],
  openai: (text, files) => [
    '/c/pier/v1/chat/completions',
    { messages: [{ role: 'user', content: [{ type: 'text', text }, ...files.map(toOpenAi)] }] },
  ],
  responses: (text, files) => [
    '/c/pier/v1/responses',
    { input: [{ role: 'user', content: [{ type: 'input_text', text }, ...files.map(toInput)] }] },
  ],
  messages: (text, files) => [
    '/c/pier/v1/messages',
    {
      max_tokens: 99,
      messages: [{ role: 'user', content: [{ type: 'text', text }, ...files.map(toBlock)] }],
    },
  ],
  'ui-chat': (text, files) => [
    '/throughline/v1/ui-chat',
    {
      id: 'pier',
      trigger: 'submit-message',
      messages: [
        {
          id: crypto.randomUUID(),
          role: 'user',
          parts: [
            { type: 'text', text },
            ...files.map(({ url, type, name }) => ({
              type: 'file',
              url,
              mediaType: type,
              filename: name,
            })),
          ],
        },
      ],
    },
  ],
  api: (text, files) => [
    '/throughline/v1/conversations/pier/send',
    { input: { role: 'user', content: [{ type: 'text', text }, ...files.map(toOpenAi)] } },
  ],
}

function toOpenAi(file: Attached): object {
  if (file.type.startsWith('image')) return { type: 'image_url', image_url: { url: file.url } }
  if (file.type.startsWith('audio'))
    return { type: 'input_audio', input_audio: { data: dataOf(file), format: 'wav' } }
  return { type: 'file', file: { filename: file.name, file_data: file.url } }
}

function toInput(file: Attached): object {
  if (file.type.startsWith('image')) return { type: 'input_image', image_url: file.url }
  if (file.type.startsWith('audio'))
    return { type: 'input_audio', input_audio: { data: dataOf(file), format: 'wav' } }
  return { type: 'input_file', filename: file.name, file_data: file.url }
}

function toBlock(file: Attached): object {
  const type = file.type.startsWith('image') ? 'image' : 'document'
  const source = file.url.startsWith('data:')
    ? { type: 'base64', media_type: file.type, data: dataOf(file) }
    : { type: 'url', url: file.url }
  return { type, source, ...(type === 'document' && { title: file.name }) }
}

type Script = (body: string) => UpstreamAnswer | undefined

async function start(
  kind: 'ollama' | 'openai',
  { capabilities, script = () => undefined }: { capabilities?: string[]; script?: Script } = {},
) {
  const scripted = await upstreamWith(({ path, body }) => {
    if (path === '/api/show') return { status: 200, body: capabilities ? { capabilities } : {} }
    if (path === '/api/tags') return { status: 200, body: { models: [{ name: 'm' }] } }
    if (!path.endsWith('/chat') && !path.endsWith('/completions'))
      return { status: 200, body: { models: [], data: [{ id: 'm' }] } }
    const answer = { ollama: ollamaAnswer, openai: openaiAnswer }[kind]([{ content: 'Well.' }])
    return script(JSON.stringify(body)) ?? answer
  })
  const upstream = { ollama: ollamaUpstream, openai: openaiUpstream }[kind]({
    url: scripted.url,
    window: 8192,
  })
  const server = await startServer({ upstream, retries: 0 })
  async function say(adapter: string, text: string, ...files: readonly Attached[]) {
    const [path, body] = adapters[adapter]!(text, files)
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', ...body }),
    })
    const answer = await response.text()
    return { status: response.status, isAnswered: answer.includes('Well.'), answer }
  }
  const sent = () =>
    scripted.requests
      .filter(({ path }) => path.endsWith('/chat') || path.endsWith('/completions'))
      .map(({ body }) => JSON.stringify(body))
  const thread = server.history.thread('pier')
  return { ...server, say, sent, thread, scripted }
}

const answered = { status: 200, isAnswered: true }

describe.each(Object.keys(adapters))(
  'a file that nobody can send, on the adapter of %s',
  adapter => {
    it('is refused with 400 before it is stored, and the conversation goes on', async () => {
      const { say, thread, store } = await start('ollama', { capabilities: ['vision'] })
      for (const url of [
        'file:///etc/passwd',
        'photo.png',
        'data:image/png;base64,',
        'data:image/png;base64,%%%',
        'blob:abc',
        'data:image/png;base64,abcde',
      ]) {
        const file =
          adapter === 'messages' || adapter === 'ollama'
            ? { ...photo, url: url.replace(/^data:[^,]*,/, 'data:x,') }
            : { ...photo, url }
        const refused = await say(adapter, 'look', photo, file)
        expect({ url, ...refused }).toMatchObject({ url, status: 400, isAnswered: false })
      }
      expect(await store.head(thread.key)).toBeUndefined()
      expect(await say(adapter, 'hello')).toMatchObject(answered)
      expect(await say(adapter, 'and the photo?', photo)).toMatchObject(answered)
      expect(await thread.turns()).toHaveLength(2)
    })

    const unsent: readonly (readonly [string, Attached, RegExp])[] = [
      [
        'an image by its address',
        webPhoto,
        /\[image(?: photo\.png)? left out: Ollama loads no image from an address\]/,
      ],
      ['a PDF', paper, /\[PDF(?: paper\.pdf)? left out: Ollama takes images only\]/],
      ['audio', sound, /\[audio(?: sound\.wav)? left out: Ollama takes images only\]/],
    ]
    // Ollama's own adapter has only images, and the one of Anthropic no audio.
    const here = unsent.filter(
      ([, { type }]) =>
        type.startsWith('image') ||
        !(adapter === 'ollama' || (adapter === 'messages' && type.startsWith('audio'))),
    )
    it('that this server does not take is named in words, in the receipt too', async () => {
      const { say, sent, thread } = await start('ollama', { capabilities: ['vision'] })
      for (const [, file, words] of here) {
        expect(await say(adapter, 'look', photo, file)).toMatchObject(answered)
        expect(JSON.parse(sent().at(-1)!).messages.at(-1)).toMatchObject({
          content: expect.stringMatching(words),
          images: [png],
        })
      }
      expect(await say(adapter, 'hello')).toMatchObject(answered)
      const { receipt } = JSON.parse(
        JSON.stringify({ receipt: (await thread.calls({ limit: 1 }))[0] }),
      )
      expect(JSON.parse(receipt.plan).verdicts).toContainEqual([
        'altered',
        'files',
        expect.stringContaining('left out: Ollama'),
      ])
    })

    it('of a model that takes no images is named in words, whatever tells so', async () => {
      const words = /\[image(?: photo\.png)? left out: this model takes no images\]/
      const known = await start('ollama', { capabilities: ['completion'] })
      expect(await known.say(adapter, 'look', photo, photo)).toMatchObject(answered)
      expect(known.sent()).toHaveLength(1)
      const told = await start('ollama', {
        script: body =>
          body.includes(png)
            ? {
                status: 500,
                body: { error: 'this model is missing data required for image input' },
              }
            : undefined,
      })
      const openai = await start('openai', {
        script: body =>
          body.includes(png)
            ? {
                status: 400,
                body: {
                  error: { message: 'image input is not supported - hint: provide the mmproj' },
                },
              }
            : undefined,
      })
      for (const server of [told, openai])
        expect(await server.say(adapter, 'look', photo)).toMatchObject(answered)
      for (const { say, sent, scripted } of [known, told, openai]) {
        const before = sent().length
        expect(await say(adapter, 'and now?')).toMatchObject(answered)
        // It is known from then on, so the model is asked once.
        expect(sent()).toHaveLength(before + 1)
        expect(sent().at(-1)).toMatch(words)
        expect(sent().at(-1)).not.toContain(png)
        expect(
          scripted.requests.filter(({ path }) => path === '/api/show').length,
        ).toBeLessThanOrEqual(1)
      }
    })

    it('that the model server cannot read is left out of this request alone', async () => {
      const { say, sent } = await start('openai', {
        script: body =>
          body.includes(png)
            ? { status: 500, body: { error: { message: 'failed to decode image' } } }
            : undefined,
      })
      expect(await say(adapter, 'look', photo)).toMatchObject(answered)
      expect(sent().at(-1)).toMatch(/left out: the model server refused it/)
      expect(await say(adapter, 'and now?')).toMatchObject(answered)
    })
  },
)

it('lets a conversation go on that came with files which nobody can read', async () => {
  const { say, sent, history, thread } = await start('ollama', { capabilities: ['vision'] })
  await history.thread('pier').seed(
    { role: 'user', content: 'look', images: ['file:///photo.png', png] },
    { role: 'assistant', content: 'I see.' },
    {
      role: 'user',
      content: [
        { type: 'video_url', video_url: { url: 'x' } },
        { type: 'text', text: 'and?' },
      ],
    },
    { role: 'assistant', content: 'Nice.' },
  )
  expect(await say('openai', 'and now?')).toMatchObject(answered)
  const [first, , third] = JSON.parse(sent()[0]!).messages
  expect(first).toMatchObject({
    images: [png],
    content: 'look\n[file left out: its data cannot be read]',
  })
  expect(third.content).toBe('[video left out: Ollama takes images only]\nand?')
  expect(await thread.turns()).toHaveLength(1)
})
