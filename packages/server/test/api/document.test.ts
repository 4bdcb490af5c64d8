import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { experiments } from '@throughline/test-tools/experiment-plug'
import { gallery } from '@throughline/test-tools/gallery'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { openApi } from '../../src/api/open-api.ts'
import { defineRoute } from '../../src/api/route.ts'
import { apiBase, apiRoutes } from '../../src/api/routes.ts'

const allRoutes = [...apiRoutes, ...experiments().routes, ...gallery().routes]

interface Operation {
  readonly summary: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: object
  }[]
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** `GET /conversations/{conversation}`, for each operation of a document. */
const operationsIn = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )

const hasItsOwn = ['/ui-chat', '/openapi.json']

it('has a document of all routes of the server, and of no others', async () => {
  const { url, routes } = await startServer({ plugs: [experiments(), gallery()] })
  const document = (await (await fetch(`${url}${apiBase}/openapi.json`)).json()) as Document
  const served = routes
    .filter(({ method, path }) => path.startsWith(`${apiBase}/`) && method !== 'ALL')
    .filter(({ path }) => !hasItsOwn.some(own => path.startsWith(`${apiBase}${own}`)))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(new Set(operationsIn(document))).toEqual(new Set(served))
  expect(operationsIn(document)).toHaveLength(allRoutes.length)
})

it('names every parameter of a path, with a type', () => {
  const { paths } = openApi(allRoutes, apiBase) as unknown as Document
  for (const [path, methods] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    for (const { parameters = [] } of Object.values(methods)) {
      expect(parameters.filter(one => one.in === 'path').map(one => one.name)).toEqual(named)
      for (const { schema } of parameters) expect(schema).toHaveProperty('type')
    }
  }
})

it('differs where a route is missing from the list', () => {
  const extra = defineRoute('get', '/extra/:one', {
    ...{ scope: 'read', summary: 'Extra.', kind: 'text' },
    handle: () => '',
  })
  const all = operationsIn(openApi([...apiRoutes, extra], apiBase) as unknown as Document)
  expect(all).toHaveLength(apiRoutes.length + 1)
  expect(all).toContain(`GET ${apiBase}/extra/{one}`)
})

it('is listed on the page of the API', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8')
  const rows = page.split('\n').filter(line => /^\| `(?:GET|POST|PATCH|DELETE) /.test(line))
  expect(rows).toEqual(
    allRoutes.map(
      ({ method, path, scope, kind, summary }) =>
        `| \`${method.toUpperCase()} ${path}\` | ${scope} | ${kind} | ${summary} |`,
    ),
  )
})
