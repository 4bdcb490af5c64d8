export * from '../log/not-found-error.ts'
