export * from '../../log/fields.ts'
