// What tests of other packages share with those of this one.
export { watchDisk } from '../sqlite/watched-disk.fixture.ts'
export { holdFile, killAll } from '../sqlite/writer-process.fixture.ts'
