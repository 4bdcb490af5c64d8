import { z } from 'zod'
import { scopes } from '../auth/caller.ts'
import type { AnswerFormat, FieldsSchema, Route } from './route.ts'
import { errorAnswer } from './schemas.ts'

/** An OpenAPI 3.1 document of routes, made from their schemas. */
export function openApi(routes: readonly Route[], base: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = `${base}${route.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method]: toOperation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Throughline', version: '1' },
    paths,
    components: {
      schemas: { Error: toSchema(errorAnswer) },
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `A key with scopes: ${scopes.join(', ')}.`,
        },
      },
    },
  }
}

function toOperation({ summary, scope, params, query, body, kind, answer, status }: Route) {
  const parameters = [...toParameters(params, 'path'), ...toParameters(query, 'query')]
  const [description, type] = formats[kind]
  return {
    summary,
    security: [{ key: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: bodyContent(body) } }),
    responses: {
      [String(status ?? (kind === 'none' ? 204 : 200))]: {
        description,
        ...(type !== undefined && { content: { [type]: { schema: answerSchema(kind, answer) } } }),
      },
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const formats: Readonly<Record<AnswerFormat, readonly [description: string, type?: string]>> = {
  json: ['The answer.', 'application/json'],
  text: ['A plain text.', 'text/plain'],
  lines: ['Lines of JSON; the schema is that of each line.', 'application/x-ndjson'],
  events: [
    'Server-sent events; the schema is that of the data of each event.',
    'text/event-stream',
  ],
  none: ['Done.'],
}

const answerSchema = (kind: AnswerFormat, answer: z.ZodType | undefined) =>
  answer && kind !== 'text' ? toSchema(answer) : { type: kind === 'text' ? 'string' : 'object' }

const bodyContent = (body: z.ZodType | 'file') =>
  body === 'file'
    ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: toSchema(body) } }

function toParameters(fields: FieldsSchema, place: 'path' | 'query') {
  return Object.entries(fields.shape).map(([name, field]) => {
    const schema = field as z.ZodType
    const { description, ...rest } = toSchema(schema) as { readonly description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
      // Lists are divided by commas.
      ...('items' in rest && { style: 'form', explode: false }),
    }
  })
}

/** The form that a client sends or gets: fields that the answer may gain later are allowed. */
function toSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
