import type { z } from 'zod'
import { BadRequestError } from '../../log/bad-request-error.ts'
import type { FieldsSchema } from './route.ts'

/** Reads the fields of an address by their schema: numbers, switches and lists come as texts. */
export function readFields(schema: FieldsSchema, texts: ReadonlyMap<string, string>): unknown {
  const values: Record<string, unknown> = {}
  for (const [name, text] of texts) {
    const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    values[name] = field === undefined ? text : fromText(field as z.ZodType, text)
  }
  return readValue(schema, values)
}

/** Checks a value by its schema. The error names the first place that is wrong. */
export function readValue(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const { path, message } = error.issues[0]!
  const place = placeOf(path)
  throw new BadRequestError(place === '' ? message : `${place}: ${message}`, place || undefined)
}

function fromText(schema: z.ZodType, text: string): unknown {
  switch (kindOf(schema)) {
    case 'number':
      return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'array': {
      const items = (unwrapped(schema) as z.ZodArray<z.ZodType>).element
      return text === '' ? [] : text.split(',').map(part => fromText(items, part))
    }
    default:
      return text
  }
}

const kindOf = (schema: z.ZodType): string => unwrapped(schema).def.type

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType }
  return innerType === undefined ? schema : unwrapped(innerType)
}

/** `roles[1].tools[0]` */
function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`))
  return parts.join('').replace(/^\./, '')
}
