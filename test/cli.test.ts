import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cli as main, runCli } from '@throughline/test-tools/run-cli'
import { describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-cli-'))

const run = (args: readonly string[], input = '') => runCli(args, { input })

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'The code word is heron.' },
  ...Array.from({ length: 60 }, (_, n) => ({
    role: n % 2 ? 'user' : 'assistant',
    content: `line ${n} of a long talk`,
  })),
  { role: 'user', content: 'What was the code word?' },
]
const array = JSON.stringify(chat, null, 1)
const lines = chat.map(message => JSON.stringify(message)).join('\n')

/** Runs a command in a terminal of its own and ends as it did. */
const terminal = `import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(['/bin/sh', '-c', sys.argv[1]])))`

describe('throughline fit', () => {
  it('prints the context as JSON, from a file or from standard input, array or JSONL', async () => {
    const args = ['--window', '300', '--policy', 'spongebob', '--count', 'o200k']
    const all = [main, 'fit', file('chat.json', array), ...args]
    const fromFile = spawnSync(process.execPath, all, { encoding: 'utf8' })
    expect(fromFile.status).toBe(0)
    const messages = JSON.parse(fromFile.stdout)
    expect(messages[1]).toEqual(chat[1])
    expect(messages[2].content).toBe('[Several conversation turns removed to conserve context.]')
    expect(messages.at(-1)).toEqual(chat.at(-1))
    expect((await run(['fit', ...args], array)).stdout).toBe(fromFile.stdout)
    expect((await run(['fit', '-', ...args], lines)).stdout).toBe(fromFile.stdout)
    expect(
      (await run(['fit', ...args], JSON.stringify({ model: 'x', messages: chat }))).stdout,
    ).toBe(fromFile.stdout)
  })

  it('says how it is used when it is started in a terminal without a file, and does not wait', () => {
    const command = `'${process.execPath}' '${main}' fit`
    // A program that waits would wait for ever.
    const timeout = 200_000
    const found = spawnSync('python3', ['-c', terminal, command], { encoding: 'utf8', timeout })
    // Without Python there is no terminal to be had: the program is told that it has one.
    const told = ['--import', 'data:text/javascript,process.stdin.isTTY=true', main, 'fit']
    const { status, stdout, stderr } = found.error
      ? spawnSync(process.execPath, told, { encoding: 'utf8', timeout })
      : found
    expect(stdout + stderr).toContain(
      'throughline: no conversation: name a file (throughline fit chat.json)',
    )
    expect(status).toBe(2)
  })

  it('--dump prints text, --receipt a table', async () => {
    const dump = await run(['fit', '--window', '300', '--dump'], array)
    expect(dump.stdout).toContain('=== SYSTEM PROMPT ===\nBe brief.')
    expect(dump.stdout).toContain('=== CURRENT USER MESSAGE ===\nWhat was the code word?')
    const receipt = await run(
      ['fit', '--window', '300', '--policy', 'spongebob', '--receipt'],
      array,
    )
    expect(receipt.stdout).toMatch(/messages +fate +tokens +roles +rule +why/)
    expect(receipt.stdout).toMatch(
      /2–\d+ +omitted +\d+ +assistant, user +spongebob +older than what fits/,
    )
    expect(receipt.stdout).not.toContain('\u001b')
  })

  it('--receipt tells of results that were cleared', async () => {
    const round = (n: number) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `c${n}`, type: 'function', function: { name: 'read', arguments: `{"n":${n}}` } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: `c${n}`,
        content: `Station ${n}\n${'12 degrees at noon\n'.repeat(60)}`,
      },
    ]
    const task = [
      { role: 'user', content: 'Read every station.' },
      ...Array.from({ length: 12 }, (_, n) => round(n)).flat(),
    ]
    const { status, stdout } = await run(
      ['fit', '--window', '4096', '--receipt'],
      JSON.stringify(task),
    )
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /\n(\d+) +cleared +(\d+) +tool +cleared +cleared: \2 tokens, in the log as #\1\n/,
    )
    expect(stdout).toMatch(/\d+ kept, \d+ cleared/)
  })

  it('takes every option', async () => {
    const tools = file('tools.json', '[{"name":"read"}]')
    const args =
      '--window 400 --reserve 50 --policy tiered --full 1 --max 4 --count cl100k --model qwen2.5'.split(
        ' ',
      )
    const more = [
      '--pin',
      'PORT: 8080',
      '--tools',
      tools,
      '--notes',
      'off',
      '--shape',
      'alternating',
      '--overflow',
      'trim',
    ]
    const { status, stdout } = await run(['fit', ...args, ...more], array)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)[0].content).toBe('Be brief.\n\nPORT: 8080')
  })

  it.each([
    [
      '[{"role":"user","content":"a"},\n{"role":"user" "content":"b"}]',
      'standard input:2: is not valid JSON',
    ],
    ['{"role":"user","content":"a"}\n\nnot json\n', 'standard input:3: is not valid JSON'],
    [
      '{"role":"user","content":"a"}\n{"role":"wizard","content":"b"}',
      'standard input:2: Message 1: has the unknown role "wizard"',
    ],
    [
      '[\n{"role":"user","content":"a"},\n\n{"role":"user","content":7}\n]',
      'standard input:4: Message 1: "content" must be',
    ],
    [
      '{\n"messages": [\n{"role":"user","content":"a"},\n7]}',
      'standard input:4: Message 1: expected an object',
    ],
    ['', 'standard input:1: is empty'],
    [
      '[\n{"role":"user","content":"a"},\n{"role":oops},\n{"role":"user","content":"b"}\n]',
      'standard input:3: is not valid JSON',
    ],
    [
      '[\n{"role":"user","content":"a"},\n\n{"role":"user","content":"b"},\n]\n\n',
      'standard input:5: is not valid JSON',
    ],
    ['[{"role":"user","content":"a"}', 'standard input:1: is not valid JSON'],
  ])('says in one line what is wrong and where: %#', async (input, problem) => {
    const { status, stdout, stderr } = await run(['fit'], input)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(problem)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([
    [['fit', 'no-such-file.json'], 'throughline: no-such-file.json: no such file'],
    [['fit', tmpdir()], 'is a folder'],
    [['fit', '--policy', 'magic'], 'Option "policy": expected one of default, stable'],
    [
      ['fit', '--count', 'magic'],
      'Option "count": expected estimate, o200k, cl100k or a tokenizer.json',
    ],
    [['fit', '--count', 'none.json'], 'throughline: none.json: cannot be read as JSON'],
    [
      ['fit', '--policy', 'stable', '--effort', '0.7'],
      'Option "effort": goes with the policy "default"',
    ],
    [['fit', '--window', 'many'], "option '-w, --window <tokens>' argument 'many' is invalid"],
    [['fit', '--window', '0'], '--window <tokens>'],
    [['fit', '--window', '5'], 'What must be sent needs'],
    [['fit', '--colour'], "unknown option '--colour'"],
    [['fly'], "unknown command 'fly'"],
  ])('%j', async (args, problem) => {
    const { status, stderr } = await run(args, array)
    expect(status).toBe(2)
    expect(stderr).toContain(problem)
  })

  it('shows its help and its version', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run(['fit', '--help'])).stdout).toContain('--receipt')
  })
})

describe('throughline demo', () => {
  it('fits the sample conversation and shows context, receipt and a token bar', async () => {
    const { status, stdout } = await run(['demo'])
    expect(status).toBe(0)
    expect(stdout).toContain('The conversation: 523 messages')
    expect(stdout).toMatch(/█+░+ \d+ of 4096 tokens/)
  })
})
