export * from '../log/bad-request-error.ts'
