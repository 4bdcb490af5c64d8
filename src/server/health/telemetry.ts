import type { Served } from '../exchange/runner.ts'

/** The part of `@opentelemetry/api` that is used here. */
interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; startTime: number; attributes: Readonly<Record<string, Attribute>> },
      ): { setStatus(status: { code: number }): unknown; end(time: number): void }
    }
  }
}

type Attribute = string | number | string[]

const clientKind = 2
const errorStatus = 2

/** Reports every request as a span, if the application has `@opentelemetry/api`. No texts are reported. */
export async function openTelemetry(
  load: () => Promise<unknown> = () => import('@opentelemetry/api' as string),
): Promise<((served: Served) => void) | undefined> {
  const api = (await load().catch(() => undefined)) as OpenTelemetry | undefined
  if (!api) return undefined
  const tracer = api.trace.getTracer('throughline')
  return served => {
    const { model = 'unknown', ms, fault, answered } = served
    const end = Date.now()
    const span = tracer.startSpan(`chat ${model.slice(0, 100)}`, {
      kind: clientKind,
      startTime: end - ms,
      attributes: attributesOf(served),
    })
    if (fault || answered?.result.status === 'failed') span.setStatus({ code: errorStatus })
    span.end(end)
  }
}

/** By the names of OpenTelemetry's conventions for generative AI (1.41). They move: this is their only place. */
function attributesOf({ model, upstream, place, answered, fault }: Served) {
  const { promptTokens, replyTokens, cachedTokens } = answered?.result.usage ?? {}
  const error = fault?.code ?? answered?.result.error?.code
  const attributes: Readonly<Record<string, Attribute | undefined>> = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': upstream?.kind,
    'throughline.upstream': upstream?.name,
    'gen_ai.request.model': model?.slice(0, 200),
    'gen_ai.conversation.id': place?.thread.conversation,
    'gen_ai.response.finish_reasons': answered?.reply && [answered.reply.reason],
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': replyTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedTokens,
    'error.type': error,
  }
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, Attribute] => entry[1] !== undefined),
  )
}
