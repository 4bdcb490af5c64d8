import { configOf } from '../../test/tools/vitest-config.ts'

export default configOf(import.meta.dirname)
