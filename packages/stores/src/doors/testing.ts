// The cases that every store has to pass, and what they are made of.
export type { CreateStore, StoreCase } from '../testing/store-case.ts'
export { storeCases } from '../testing/store-cases.ts'
export { entry, findAll, newThread } from '../testing/store-cases-help.ts'
