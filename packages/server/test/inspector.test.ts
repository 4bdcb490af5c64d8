import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '@throughline/test-tools/serve-process'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'

/** A small built page, with a file beside it that nobody may read. */
function builtPage(): string {
  const folder = join(newFolder(), 'inspector')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, '.vite'))
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><p>the page ${'of files '.repeat(50)}</p>`,
  )
  writeFileSync(join(folder, 'assets/index-abc123.js'), 'export {}')
  writeFileSync(join(folder, '.vite/manifest.json'), '{}')
  writeFileSync(join(folder, '../secret.js'), 'secret')
  return folder
}

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the inspector', () => {
  it('is at /inspector for every address of its views, without a key, under a strict policy', async () => {
    const { url } = await startServer({
      inspector: builtPage(),
      apiKeys: ['a-key-of-sixteen-characters'],
    })
    for (const path of [
      '/inspector',
      '/inspector/',
      '/inspector/c/a%2Fb/context?turn=3',
      '/inspector/index.html',
    ]) {
      const response = await fetch(`${url}${path}`)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('the page')
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
      )
      expect(policy).not.toContain('unsafe')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect((await fetch(`${url}/throughline/v1/conversations`)).status).toBe(401)
  })

  it('has an empty frame for what others wrote, in which nothing runs and nothing is asked for', async () => {
    const { url } = await startServer({ inspector: builtPage() })
    const frame = await fetch(`${url}/inspector/frame`)
    expect(await frame.text()).toBe('<!doctype html><title>Preview</title>')
    const policy = frame.headers.get('content-security-policy')!
    expect(policy).toContain("sandbox allow-same-origin; default-src 'none'")
    expect(policy).toContain("frame-ancestors 'self'")
    for (const word of ['script', 'connect', 'allow-scripts', 'allow-forms'])
      expect(policy).not.toContain(word)
    const page = (await fetch(`${url}/inspector`)).headers.get('content-security-policy')!
    expect(page).toContain("frame-src 'self'")
    expect(page).toContain("frame-ancestors 'none'")
  })

  it('lets files with a hash in their name be kept for ever, and the page be asked for again', async () => {
    const { url } = await startServer({ inspector: builtPage() })
    const script = await fetch(`${url}/inspector/assets/index-abc123.js`)
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const page = await fetch(`${url}/inspector`, { method: 'HEAD' })
    const etag = page.headers.get('etag')!
    const again = await fetch(`${url}/inspector`, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('gives out the files of the page and nothing else', async () => {
    const { url } = await startServer({ inspector: builtPage() })
    const paths = [
      'assets/none.js',
      'assets/..%2f..%2f..%2fsecret.js',
      'assets/%2e%2e/%2e%2e/%2e%2e/secret.js',
      '..%2fsecret.js',
      '.vite/manifest.json',
      'assets/index-abc123.js%00',
    ]
    for (const path of paths) {
      const text = await (await fetch(`${url}/inspector/${path}`)).text()
      expect(text).toMatch(/the page|No such file|nothing at this address/)
    }
    expect((await fetch(`${url}/inspector`, { method: 'POST' })).status).toBe(404)
  })

  it('is where a browser is led from /, while others hear from the model server', async () => {
    const { url } = await startServer({ inspector: builtPage() })
    const led = await fetch(url, { headers: asBrowser, redirect: 'manual' })
    expect([led.status, led.headers.get('location')]).toEqual([302, '/inspector'])
    expect(await (await fetch(url)).text()).toContain('Ollama is running')
  })

  it('says how to build it, and is not there when it is switched off', async () => {
    const unbuilt = await startServer({ inspector: join(newFolder(), 'none') })
    const response = await fetch(`${unbuilt.url}/inspector`)
    expect([response.status, await response.text()]).toEqual([
      503,
      'The inspector is not built: run "npm run build".\n',
    ])
    const off = await startServer()
    expect((await fetch(`${off.url}/inspector`)).status).toBe(404)
    expect((await fetch(off.url, { headers: asBrowser, redirect: 'manual' })).status).toBe(200)
  })
})
