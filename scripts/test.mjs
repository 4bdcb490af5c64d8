// What `npm test` does after the build: types, lint and tests at the same time. A part that fails fails the whole.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const given = process.argv.slice(2)
const [types, lint, tests] = await Promise.all([
  run('tsc', ['--noEmit']),
  run('biome', ['check', '--error-on-warnings', '.']),
  run('vitest', ['run', ...given], 'inherit'),
])

// After the tests, where they are read: in the middle nobody would see them.
for (const { name, code, said } of [types, lint])
  console.log(code === 0 ? `${name}: all is well` : `${name} found something:\n${said}`)
process.exitCode = [types, lint, tests].every(({ code }) => code === 0) ? 0 : 1

/** Runs a program of a package; what it says is kept unless it is shown at once. */
async function run(name, args, output = 'pipe') {
  // npm has put the programs of packages on the path.
  const child = spawn(name, args, {
    stdio: ['inherit', output, output],
    shell: process.platform === 'win32',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', text => {
      said += text
    })
  const [code] = await once(child, 'close')
  return { name, code, said }
}
