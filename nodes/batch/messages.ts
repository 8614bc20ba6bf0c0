export { LOOK_UP } from '../messages/en';
export { userMessage } from '../messages/userMessage';
