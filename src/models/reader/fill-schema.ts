type Schema = Readonly<Record<string, unknown>>

/** An object of a schema, made of a text: its numbers in order, the words of an `enum` that it has, else the text itself. */
export function fillSchema(schema: Schema, text: string): Readonly<Record<string, unknown>> {
  const numbers = (text.match(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?/gu) ?? []).map(Number)
  return fillObject(schema)

  /** Fills only required properties, or all if none is required. What the text has no value for is left out. */
  function fillObject({ properties = {}, required }: Schema): Readonly<Record<string, unknown>> {
    const schemas = properties as Readonly<Record<string, Schema>>
    const names = Array.isArray(required) ? (required as string[]) : Object.keys(schemas)
    const filled = names.map(name => [name, fillValue(schemas[name] ?? {})] as const)
    return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
  }

  function fillValue({ enum: values, type, items = {}, ...schema }: Schema): unknown {
    if (Array.isArray(values)) {
      const lowerText = text.toLowerCase()
      return values.find(value => lowerText.includes(String(value).toLowerCase())) ?? values[0]
    }
    switch (type) {
      case 'number':
        return numbers.shift()
      case 'integer': {
        const at = numbers.findIndex(Number.isInteger)
        return at < 0 ? undefined : numbers.splice(at, 1)[0]
      }
      case 'boolean':
        return !/\b(?:no|not|don['’]?t|false|without)\b/i.test(text)
      case 'object':
        return fillObject(schema)
      case 'array':
        return [fillValue(items as Schema)].filter(value => value !== undefined)
      default:
        return text
    }
  }
}
