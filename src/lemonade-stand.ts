import type { Sample, SampleCode } from '@throughline/experiment/plug/sample'
import { packageFile } from '@throughline/server/package'

/** The sample experiment, an example of the package: a lemonade stand of three roles who act by rules, so no model is asked. */
export const lemonadeStand: Sample = {
  name: 'lemonade-stand',
  plan: packageFile('examples/lemonade-stand/plan.json'),
  // The code is part of the build, because its schemas need a package that is not installed with this one.
  code: () =>
    import('../examples/lemonade-stand/tools.ts') as Promise<unknown> as Promise<SampleCode>,
}
