export * from '../../turn/cancels.ts'
