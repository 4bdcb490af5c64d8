import { z } from 'zod'

/**
 * What the lamp can play. The same description checks what a model writes, gives the types, and is sent to Ollama, which
 * then writes nothing else.
 */

const colour = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'expected a colour like #FF8000')
const place = z.number().min(-100).max(100)
const size = z.number().min(0).max(100)
/** Small models write the id of a step as a number or as a text. */
const id = z.union([z.string().max(40), z.number()]).transform(String)

const pattern = z.object({
  type: z.literal('pattern'),
  name: z.enum(['solid', 'gradient', 'breathing', 'wave', 'rainbow', 'pulse', 'sparkle']),
  params: z
    .object({
      color: colour.optional(),
      color2: colour.optional(),
      speed: z.number().positive().max(100).optional(),
      brightness: z.number().min(0).max(1).optional(),
    })
    .default({}),
})

const element = z.discriminatedUnion('type', [
  z.object({ type: z.literal('fill'), color: colour }),
  z.object({
    type: z.literal('text'),
    text: z.string().min(1).max(120),
    color: colour,
    x: place.optional(),
    y: place.optional(),
    scroll: z.boolean().optional(),
  }),
  z.object({ type: z.literal('pixel'), x: place, y: place, color: colour }),
  z.object({
    type: z.literal('rect'),
    x: place,
    y: place,
    width: size,
    height: size,
    color: colour,
    filled: z.boolean().default(true),
  }),
  z.object({ type: z.literal('line'), x1: place, y1: place, x2: place, y2: place, color: colour }),
])

const render = z.object({ type: z.literal('render'), elements: z.array(element).max(64) })

const command = z.discriminatedUnion('type', [
  pattern,
  render,
  z.object({ type: z.literal('stop') }),
])

const step = z.object({
  id,
  command,
  duration: z.number().min(50).max(86_400_000).nullable().default(null),
})

const program = z
  .object({
    name: z.string().max(120).default('Unnamed'),
    steps: z.array(step).min(1).max(20),
    loop: z
      .object({
        count: z.number().int().min(0).max(10_000),
        start_step: id.optional(),
        end_step: id.optional(),
      })
      .nullish(),
    on_complete: z.object({ command }).nullish(),
  })
  .superRefine(({ steps, loop }, { addIssue }) => {
    const ids = steps.map(({ id }) => id)
    const [start, end] = [loop?.start_step, loop?.end_step].map(id =>
      id === undefined ? id : ids.indexOf(id),
    )
    if (start === -1 || end === -1) addIssue('the loop names a step that there is not')
    else if ((start ?? 0) > (end ?? steps.length - 1)) addIssue('the loop ends before it begins')
  })

const reply = z.object({ program })

export type Program = z.infer<typeof program>
export type Step = z.infer<typeof step>
export type Command = z.infer<typeof command>
export type PatternCommand = z.infer<typeof pattern>
export type RenderCommand = z.infer<typeof render>
export type Element = z.infer<typeof element>

/** The form of a reply as a JSON Schema, for models that can be held to one. */
export const replySchema = z.toJSONSchema(reply, { io: 'input' })

/** A program, or why there is none. */
export type ReadProgram =
  | { readonly program: Program; readonly problem?: never }
  | { readonly program?: never; readonly problem: string }

/** Reads the program in a model's reply: alone, in a fence, or with a few words around it. Never throws. */
export function readProgram(text: string): ReadProgram {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')]
  if (start < 0 || end < start) return { problem: 'the reply holds no program' }
  const parsed = parse(text.slice(start, end + 1))
  if (parsed === undefined) return { problem: 'the reply is no JSON' }
  const result = reply.safeParse(parsed)
  if (result.success) return { program: result.data.program }
  const [issue] = result.error.issues
  return { problem: `${issue?.path.join('.') || 'the reply'}: ${issue?.message}` }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
