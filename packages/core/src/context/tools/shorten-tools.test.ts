import { describe, expect, it } from 'vitest'
import { o200k } from '../../tokens/o200k.ts'
import { fit } from '../fit.ts'
import { shortenTools } from './shorten-tools.ts'

const count = o200k()

const description = `Runs a command in a shell. The shell stays open between calls.

Usage:
- Quote paths with blanks.
- Prefer other tools for reading files.

Example: run \`ls\` first.

<example>
run("ls -l")
</example>

\`\`\`sh
ls -l
\`\`\`

Be careful with deletes.`

const parameters = {
  type: 'object',
  description: 'What to run. All of it.',
  properties: {
    command: {
      type: 'string',
      description: 'The command. It is run as it is.',
      examples: ['ls', 'cat a'],
    },
    description: { type: 'string', enum: ['short. long.', 'none'], default: 'none' },
    examples: {
      type: 'array',
      items: { type: 'string', description: 'One example. It is shown.' },
    },
    options: {
      type: 'object',
      default: { description: 'Data. It stays as it is.' },
      properties: {
        env: {
          anyOf: [
            {
              type: 'object',
              additionalProperties: { type: 'string', description: 'A value. Not a secret.' },
            },
            { type: 'null', description: 'None at all. The default.' },
          ],
        },
      },
    },
  },
  required: ['command'],
  additionalProperties: false,
}

const forms = {
  openai: { type: 'function', function: { name: 'run', description, parameters } },
  anthropic: { name: 'run', description, input_schema: parameters },
  'ai-sdk': { type: 'function', name: 'run', description, inputSchema: parameters },
  ours: { name: 'run', description, parameters },
}

/** All texts that `shortenTools` may change, of a tool of ours. */
const short = (most: number) =>
  shortenTools([forms.ours], most, count).tools[0] as {
    description: string
    parameters: typeof parameters
  }

/** The results of all limits, each once, from the longest to the shortest. */
function stepsOf(tools: readonly unknown[]): readonly string[] {
  const found = new Set<string>()
  for (let most = count.tools(tools); most >= 0; most--)
    found.add(JSON.stringify(shortenTools(tools, most, count).tools))
  return [...found]
}

describe('shortenTools', () => {
  it('leaves tools that fit as they are: the very same list', () => {
    const tools = [forms.openai]
    expect(shortenTools(tools, count.tools(tools), count).tools).toBe(tools)
    expect(shortenTools([], 0, count)).toEqual({ tools: [], saved: 0 })
  })

  it('gives the same bytes for ever', () => {
    expect(short(0)).toEqual({
      name: 'run',
      description: 'Runs a command in a shell.',
      parameters: {
        type: 'object',
        description: 'What to run. All of it.',
        properties: {
          command: { type: 'string', description: 'The command.' },
          description: { type: 'string', enum: ['short. long.', 'none'], default: 'none' },
          examples: { type: 'array', items: { type: 'string', description: 'One example.' } },
          options: {
            type: 'object',
            default: { description: 'Data. It stays as it is.' },
            properties: {
              env: {
                anyOf: [
                  {
                    type: 'object',
                    additionalProperties: { type: 'string', description: 'A value.' },
                  },
                  { type: 'null', description: 'None at all.' },
                ],
              },
            },
          },
        },
        required: ['command'],
        additionalProperties: false,
      },
    })
    expect(Object.keys(short(0).parameters.properties)).toEqual(Object.keys(parameters.properties))
  })

  it('takes examples first, then the deepest texts, then those of arguments, those of tools last', () => {
    const texts = stepsOf([forms.ours]).map(json => {
      const [tool] = JSON.parse(json) as [typeof forms.ours]
      const { command, options } = tool.parameters.properties
      return {
        tool: tool.description.length,
        command: command.description,
        hasExamples: 'examples' in command,
        deep: options.properties.env.anyOf[0]!.additionalProperties!.description,
        middle: options.properties.env.anyOf[1]!.description,
      }
    })
    const long = {
      command: 'The command. It is run as it is.',
      middle: 'None at all. The default.',
    }
    const [whole, examples, paragraph, sentence] = [
      description.length,
      short(count.tools([forms.ours]) - 1).description.length,
      'Runs a command in a shell. The shell stays open between calls.'.length,
      'Runs a command in a shell.'.length,
    ]
    const deep = 'A value. Not a secret.'
    expect(texts).toEqual([
      { tool: whole, hasExamples: true, deep, ...long },
      { tool: examples, hasExamples: false, deep, ...long },
      { tool: examples, hasExamples: false, ...long, deep: 'A value.' },
      { tool: examples, hasExamples: false, ...long, deep: 'A value.', middle: 'None at all.' },
      {
        tool: examples,
        hasExamples: false,
        deep: 'A value.',
        middle: 'None at all.',
        command: 'The command.',
      },
      {
        tool: paragraph,
        hasExamples: false,
        deep: 'A value.',
        middle: 'None at all.',
        command: 'The command.',
      },
      {
        tool: sentence,
        hasExamples: false,
        deep: 'A value.',
        middle: 'None at all.',
        command: 'The command.',
      },
    ])
  })

  it('takes examples out of a text, and leaves the rest', () => {
    expect(short(count.tools([forms.ours]) - 1).description).toBe(
      [
        'Runs a command in a shell. The shell stays open between calls.',
        'Usage:\n- Quote paths with blanks.\n- Prefer other tools for reading files.',
        'Be careful with deletes.',
      ].join('\n\n'),
    )
  })

  it.each(Object.entries(forms))('knows the form of %s', (_, tool) => {
    const { tools, saved } = shortenTools([tool], 0, count)
    expect(JSON.stringify(tools)).toContain('"Runs a command in a shell."')
    expect(JSON.stringify(tools)).toContain('"The command."')
    expect(saved).toBe(count.tools([tool]) - count.tools(tools))
  })

  it.each([
    [[{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]],
    [[{ type: 'object', description: 'A schema. Not a tool.', properties: {} }]],
    [['text', null, 7, [forms.ours]]],
    [[{ name: 'a', parameters: 'none', description: 7 }]],
    [[{ name: 'a', parameters: { properties: [1], items: null, anyOf: 'x', $defs: 3 } }]],
    [
      [
        { name: 'a', description: '```' },
        { name: 'b', description: '<example>' },
        { name: 'c', description: '' },
      ],
    ],
  ])('leaves %j as it is', tools => {
    expect(shortenTools(tools, 0, count)).toEqual({ tools, saved: 0 })
  })

  it('leaves what is no JSON as it is', () => {
    const cycle: Record<string, unknown> = { name: 'a', description }
    cycle.self = cycle
    const tools = [cycle]
    expect(shortenTools(tools, 0, count).tools).toBe(tools)
  })
})

describe('fit', () => {
  const messages = [{ role: 'user', content: 'hello' }] as const

  it('sends and counts shorter tools, and tells what that saved', () => {
    const tools = [forms.openai]
    const whole = fit(messages, { window: 4096, count, tools })
    const context = fit(messages, { window: 4096, count, tools, maxToolTokens: 120 })
    expect(whole.tools).toBe(tools)
    expect(whole.receipt).not.toHaveProperty('toolsSaved')
    expect(context.receipt.parts.tools).toBe(count.tools(context.tools!))
    expect(context.receipt.parts.tools).toBeLessThan(whole.receipt.parts.tools)
    expect(context.receipt.toolsSaved).toBe(whole.receipt.parts.tools - context.receipt.parts.tools)
  })

  it('refuses a limit that is none', () => {
    expect(() => fit(messages, { window: 4096, maxToolTokens: -1 })).toThrow(
      /"maxToolTokens": expected a number/,
    )
  })
})
