type Schema = Readonly<Record<string, unknown>>

/** Values of a text that can fill arguments; each is used once, in order. */
interface Offer {
  readonly text: string
  readonly urls: string[]
  readonly quoted: string[]
  readonly numbers: number[]
}

/**
 * Takes arguments for a tool from a text: addresses for properties with such names, numbers, quoted strings, else the text
 * itself. Fills only required properties, or all if none is required.
 */
export function fillArguments(schema: Schema, text: string): Readonly<Record<string, unknown>> {
  const bare = text.replace(/https?:\/\/\S+/g, '')
  return fillObject(schema, {
    text,
    urls: (text.match(/https?:\/\/[^\s"'<>]+/g) ?? []).map(url => url.replace(/[.,;:!?)]+$/, '')),
    quoted: [...text.matchAll(/"([^"]+)"|“([^”]+)”|(?<![\p{L}\p{N}])'([^']+)'/gu)].map(
      ([, double, curly, single]) => double ?? curly ?? single ?? '',
    ),
    numbers: (bare.match(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?/gu) ?? []).map(Number),
  })
}

function fillObject(schema: Schema, offer: Offer): Readonly<Record<string, unknown>> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : Object.keys(properties)
  return Object.fromEntries(
    required
      .map(name => [name, fillValue(name, properties[name] ?? {}, offer)] as const)
      .filter(([, value]) => value !== undefined),
  )
}

/** Undefined if the text has no value of the type: the argument is left out, so that the tool can complain. */
function fillValue(name: string, schema: Schema, offer: Offer): unknown {
  const values = schema.enum
  if (Array.isArray(values)) {
    const said = offer.text.toLowerCase()
    return values.find(value => said.includes(String(value).toLowerCase())) ?? values[0]
  }
  switch (schema.type) {
    case 'number':
      return offer.numbers.shift()
    case 'integer': {
      const at = offer.numbers.findIndex(Number.isInteger)
      return at < 0 ? undefined : offer.numbers.splice(at, 1)[0]
    }
    case 'boolean':
      return !/\b(?:no|not|don['’]?t|false|without)\b/i.test(offer.text)
    case 'object':
      return fillObject(schema, offer)
    case 'array':
      return fillList(name, (schema.items ?? {}) as Schema, offer)
    default:
      return fillText(name, schema, offer)
  }
}

function fillText(name: string, { format }: Schema, offer: Offer): string {
  const isAddress = /ur[il]|link|href/i.test(name) || format === 'uri' || format === 'url'
  return (isAddress ? offer.urls.shift() : offer.quoted.shift()) ?? offer.text
}

/** All values of the type that the text has left. */
function fillList(name: string, items: Schema, offer: Offer): readonly unknown[] {
  if (items.type === 'number' || items.type === 'integer') return offer.numbers.splice(0)
  if (items.type === 'object') return [fillObject(items, offer)]
  return /ur[il]|link|href/i.test(name) ? offer.urls.splice(0) : offer.quoted.splice(0)
}
