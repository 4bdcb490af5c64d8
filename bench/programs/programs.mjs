import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from './task.mjs'

const model = 'scripted'

/**
 * The programs: the package, the upstream's form for `throughline serve`, how a step is called with the program's own tools, and
 * how the program is started. `window`: what it is told of the model's window; without it, that everything fits.
 */
export const programs = {
  claude: {
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    kind: 'anthropic',
    toCall: ({ list, read, edit, fact }, folder) =>
      list
        ? { name: 'Bash', input: { command: 'ls parts', description: 'List the parts' } }
        : read
          ? { name: 'Read', input: { file_path: join(folder, read) } }
          : edit
            ? {
                name: 'Edit',
                input: {
                  file_path: join(folder, edit.path),
                  ...replacing(edit, 'old_string', 'new_string'),
                },
              }
            : fact && {
                name: 'Bash',
                input: { command: `echo ${fact} >> keys.txt`, description: 'Add a key' },
              },
    start: ({ url, home }) => ({
      args: ['-p', request, '--model', model, '--permission-mode', 'bypassPermissions'],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CONFIG_DIR: join(home, 'claude'),
        IS_SANDBOX: '1',
      },
    }),
  },
  codex: {
    title: 'Codex',
    package: '@openai/codex',
    kind: 'openai',
    toCall: ({ list, read, edit, fact }) => {
      const cmd = list
        ? 'ls parts'
        : read
          ? `cat ${read}`
          : edit
            ? `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${edit.path}\n@@\n # part ${edit.name} of the harbour register\n-status: open\n+status: closed\n*** End Patch\nEOF`
            : fact && `echo ${fact} >> keys.txt`
      return cmd && { name: 'exec_command', input: { cmd } }
    },
    start: ({ url, home, window }) => {
      const folder = join(home, 'codex')
      mkdirSync(folder, { recursive: true })
      const lines = [
        `model = "${model}"`,
        'model_provider = "bench"',
        `model_context_window = ${window ?? 1_000_000}`,
        '[model_providers.bench]',
        'name = "Bench"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
      ]
      writeFileSync(join(folder, 'config.toml'), `${lines.join('\n')}\n`)
      return {
        args: [
          'exec',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          request,
        ],
        env: { CODEX_HOME: folder },
      }
    },
  },
  opencode: {
    title: 'opencode',
    package: 'opencode-ai',
    kind: 'openai',
    toCall: ({ list, read, edit, fact }, folder) =>
      list
        ? { name: 'bash', input: { command: 'ls parts', description: 'List the parts' } }
        : read
          ? { name: 'read', input: { filePath: join(folder, read) } }
          : edit
            ? {
                name: 'edit',
                input: {
                  filePath: join(folder, edit.path),
                  ...replacing(edit, 'oldString', 'newString'),
                },
              }
            : fact && {
                name: 'bash',
                input: { command: `echo ${fact} >> keys.txt`, description: 'Add a key' },
              },
    start: ({ url, home, folder, window }) => {
      const options = { baseURL: `${url}/v1`, apiKey: 'none' }
      const models = { [model]: { limit: { context: window ?? 1_000_000, output: 4096 } } }
      const provider = { bench: { npm: '@ai-sdk/openai-compatible', options, models } }
      const settings = {
        autoupdate: false,
        share: 'disabled',
        provider,
        model: `bench/${model}`,
        permission: 'allow',
      }
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify(settings))
      return {
        args: ['run', request],
        env: {
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          XDG_DATA_HOME: join(home, 'data'),
        },
      }
    },
  },
}

const replacing = ({ name }, before, after) => {
  const line = status => `# part ${name} of the harbour register\nstatus: ${status}`
  return { [before]: line('open'), [after]: line('closed') }
}

/** Runs a program until it ends, in a folder and a home of its own. Gives how it ended. */
export async function runProgram(name, { bin, url, home, folder, window, seconds }) {
  const program = join(bin, name)
  if (!existsSync(program)) throw new Error(`${program} is not there`)
  const { args, env } = programs[name].start({ url, home, folder, window })
  const own = Object.fromEntries(
    ['PATH', 'LANG', 'TERM'].map(each => [each, process.env[each] ?? '']),
  )
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...own, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output = `${output}${chunk}`.slice(-4000)
    })
  const late = setTimeout(() => process.kill(-child.pid), seconds * 1000)
  const [code] = await once(child, 'exit')
  clearTimeout(late)
  return { code, output }
}
