export { removeFolder as default } from './folder';
