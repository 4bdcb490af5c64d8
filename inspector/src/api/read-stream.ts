/** The lines of a stream, without empty ones. Leaving the loop cancels it. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const line of allLines(body)) if (line !== '') yield line
}

export interface StreamEvent {
  readonly id: string | undefined
  readonly data: string
}

/** The server-sent events of a stream. Comments, which only keep the connection alive, are passed over. `EventSource` cannot send a key. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let id: string | undefined
  let data: string | undefined
  for await (const line of allLines(body)) {
    if (line === '') {
      if (data !== undefined) yield { id, data }
      data = undefined
    } else if (line.startsWith('id:')) id = line.slice(3).trim()
    else if (line.startsWith('data:'))
      data = `${data === undefined ? '' : `${data}\n`}${line.slice(5).trimStart()}`
  }
}

async function* allLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = `${rest}${value}`.split('\n')
      rest = lines.pop()!
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
