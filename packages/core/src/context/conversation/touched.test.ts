import { expect, it } from 'vitest'
import { patchedFile } from './touched.ts'

it.each(['\n', '\r\n'])(
  'finds the file of a patch with the line breaks %j, as it is and in JSON',
  end => {
    const patch = ['*** Begin Patch', '*** Update File: src/parser.ts', '@@', '-a', '+b'].join(end)
    expect(patchedFile(patch)).toBe('src/parser.ts')
    expect(patchedFile(JSON.stringify({ cmd: `apply_patch <<'EOF'${end}${patch}` }))).toBe(
      'src/parser.ts',
    )
  },
)
