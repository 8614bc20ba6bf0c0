export { userMessage } from '../messages/userMessage';
