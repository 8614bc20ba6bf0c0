export * from '../messages/userMessage';
export type { FailureOutcome } from '../messages/outcomes';
