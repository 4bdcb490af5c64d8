// What tests of other packages share with those of this one.
export { chatgptFile, claudeFile, files } from '../transfer/formats/formats.fixture.ts'
